import Domain
import Engine
import Wire

/// `/v1/users/{user}`: what a backend asks and tells about one of its users.
struct UsersResource: Sendable {
    let engine: Engine
    let sealing: any TokenSealing

    var routes: [Route] {
        [
            Route(
                .post, "/v1/users/{user}/reads", "The user read a conversation, or all.",
                body: .json("BackendRead"), [Route.Outcome(200, "UserBadgeState")],
                .backend { call, tenant, answer throws(Problem) in
                    let body = try ReadBody(parsing: call.request.body, mayNameDevice: true)
                    engine.read(try user(call, tenant), body.target, by: body.device) { result in
                        answer.result(result) { badge in answer.json { $0.badgeObject(badge) } }
                    }
                }),
            Route(
                .get, "/v1/users/{user}/badge", "The user's badge.", [Route.Outcome(200, "UserBadgeState")],
                .backend { call, tenant, answer throws(Problem) in
                    engine.badge(try user(call, tenant)) { result in
                        answer.result(result) { badge in answer.json { $0.badgeObject(badge) } }
                    }
                }),
            Route(
                .get, "/v1/users/{user}/conversations", "The user's conversations, by id.",
                query: ["after", "limit"], [Route.Outcome(200, "Conversations")],
                .backend { call, tenant, answer throws(Problem) in
                    try ConversationsPage.answer(engine, try user(call, tenant), call, answer)
                }),
            Route(
                .put, "/v1/users/{user}/conversations/{conversation_id}/settings",
                "Mute or unmute a conversation.", body: .json("ConversationSettings"),
                [Route.Outcome(200, "Conversation")],
                .backend { call, tenant, answer throws(Problem) in
                    let conversation: ConversationID = try call.identifier(1, "conversation_id")
                    let body = try ConversationSettingsBody(parsing: call.request.body)
                    engine.configure(
                        try user(call, tenant), conversation, isMuted: body.isMuted, until: body.mutedUntil
                    ) { result in
                        answer.result(result) { status in answer.json { $0.conversation(status) } }
                    }
                }),
            Route(
                .delete, "/v1/users/{user}/conversations/{conversation_id}",
                "The user left: unread, tasks and banners go.", [Route.Outcome(204)],
                .backend { call, tenant, answer throws(Problem) in
                    let conversation: ConversationID = try call.identifier(1, "conversation_id")
                    engine.leave(try user(call, tenant), conversation) { result in
                        answer.result(result) { _ in answer.empty() }
                    }
                }),
            Route(
                .put, "/v1/users/{user}/settings",
                "Set quiet hours, zone and locale; what is left out stays as it is.",
                body: .json("UserSettings"), [Route.Outcome(200, "UserSettings")],
                .backend { call, tenant, answer throws(Problem) in
                    let body = try UserSettingsBody(parsing: call.request.body, zones: engine.zones)
                    engine.configure(try user(call, tenant), body.change) { result in
                        answer.result(result) { settings in answer.json { $0.userSettings(settings) } }
                    }
                }),
            Route(
                .get, "/v1/users/{user}/devices", "The user's devices.", [Route.Outcome(200, "Devices")],
                .backend { call, tenant, answer throws(Problem) in
                    engine.devices(try user(call, tenant)) { result in
                        answer.result(result) { devices in
                            answer.json { $0.devices(devices, node: engine.node) }
                        }
                    }
                }),
            Route(
                .put, "/v1/users/{user}/devices/{device}", "Register for a device.",
                body: .json("Registration"), [Route.Outcome(200, "Registered")],
                .backend { call, tenant, answer throws(Problem) in
                    let device: DeviceID = try call.identifier(1, "device")
                    let body = try RegistrationBody(parsing: call.request.body)
                    Registering.run(
                        engine, try user(call, tenant), device,
                        body.sealed(by: sealing, tenant: tenant.key), answer)
                }),
            Route(
                .delete, "/v1/users/{user}/devices/{device}", "Log a device out remotely.",
                [Route.Outcome(204)],
                .backend { call, tenant, answer throws(Problem) in
                    let device: DeviceID = try call.identifier(1, "device")
                    engine.logOut(try user(call, tenant), device) { result in
                        answer.result(result) { answer.empty() }
                    }
                }),
        ]
    }

    private func user(_ call: Call, _ tenant: Tenant) throws(Problem) -> UserName {
        UserName(tenant: tenant.key, user: try call.identifier(0, "user"))
    }
}

/// Conversations in pages, for backends and devices.
enum ConversationsPage {
    static let maximumLimit: Int64 = 200
    private static let defaultLimit: Int64 = 100

    static func answer(
        _ engine: Engine, _ user: UserName, as caller: DeviceCaller? = nil, _ call: Call, _ answer: Answer
    ) throws(Problem) {
        let after: ConversationID? = try call.identifier(query: "after", "?after")
        let limit = Int(try call.whole(query: "limit", "?limit", 1...maximumLimit) ?? defaultLimit)
        engine.conversations(user, after: after, limit: limit + 1, as: caller) { result in
            answer.result(result) { found in answer.json { $0.conversations(found, limit: limit) } }
        }
    }
}

/// A registration under way: the answer comes after a former owner of a token has dropped it.
enum Registering {
    static func run(
        _ engine: Engine, _ user: UserName, _ device: DeviceID, _ registration: Registration,
        as caller: DeviceCaller? = nil, _ answer: Answer
    ) {
        Task {
            let result = await engine.register(user, device, registration, as: caller)
            answer.result(result) { status in answer.json { $0.registered(status) } }
        }
    }
}
