import Domain
import Engine
import Wire

/// `/v1/device` and a device's view of its own user.
struct DeviceResource: Sendable {
    let engine: Engine
    let sealing: any TokenSealing

    var routes: [Route] {
        [
            Route(
                .put, "/v1/device", "Register this device; a transport left out is removed.",
                body: .json("Registration"), [Route.Outcome(200, "Registered")],
                .device { call, identity, answer throws(Problem) in
                    let body = try RegistrationBody(parsing: call.request.body)
                    Registering.run(
                        engine, identity.userName, identity.device,
                        body.sealed(by: sealing, tenant: identity.tenant.key), as: identity.caller, answer)
                }),
            Route(
                .delete, "/v1/device", "Sign this device out.", [Route.Outcome(204)],
                .device { _, identity, answer throws(Problem) in
                    engine.signOut(identity.userName, as: identity.caller) { result in
                        answer.result(result) { answer.empty() }
                    }
                }),
            Route(
                .post, "/v1/reads", "This device's user read a conversation, or all.",
                body: .json("Read"), [Route.Outcome(200, "UserBadgeState")],
                .device { call, identity, answer throws(Problem) in
                    let body = try ReadBody(parsing: call.request.body, mayNameDevice: false)
                    engine.read(
                        identity.userName, body.target, by: identity.device, as: identity.caller
                    ) { result in
                        answer.result(result) { badge in answer.json { $0.badgeObject(badge) } }
                    }
                }),
            Route(
                .get, "/v1/badge", "The user's badge.", [Route.Outcome(200, "UserBadgeState")],
                .device { _, identity, answer throws(Problem) in
                    engine.badge(identity.userName, as: identity.caller) { result in
                        answer.result(result) { badge in answer.json { $0.badgeObject(badge) } }
                    }
                }),
            Route(
                .get, "/v1/conversations", "The user's conversations, by id.", query: ["after", "limit"],
                [Route.Outcome(200, "Conversations")],
                .device { call, identity, answer throws(Problem) in
                    try ConversationsPage.answer(
                        engine, identity.userName, as: identity.caller, call, answer)
                }),
        ]
    }
}
