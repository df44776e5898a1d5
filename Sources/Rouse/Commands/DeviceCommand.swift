import EventLoop
import Wire

extension Commands {
    /// `rouse device --user bob --device phone`.
    static let device = Command(
        name: "device", summary: "Be a device: register, connect, show what arrives, apply, read",
        options: [
            .value("user", "USER", "Whose device"), .value("device", "ID", "Which device"),
            .value("apns-token", "HEX", "Register this APNs token …"),
            .value("topic", "ID", "… for this topic (com.example.app)"),
            .value("environment", "NAME", "… of `production` (the default) or `sandbox`"),
            .value("voip-token", "HEX", "Register this VoIP token, for the same topic and environment"),
            .value("fcm-token", "TOKEN", "Register this FCM token"),
            .value("locale", "TAG", "Register this language"),
            .value("time-zone", "ZONE", "Register this time zone"),
            .flag("offline", "Register and leave"), .flag("sign-out", "Sign the device out and leave"),
            .flag("no-apply", "Do not acknowledge what arrives"), .flag("read", "Read each message at once"),
            .flag("answer", "Answer each call at once"),
            .flag("from-head", "Start without the mailbox's history"),
            .flag("forget", "Do not keep the place in the mailbox for the next start"),
            .value("tenant", "NAME", "The tenant of the client key (ROUSE_TENANT)"),
            .value("client-secret-file", "FILE", "Client key, base64url (ROUSE_CLIENT_SECRET)"),
            .value("kid", "ID", "The client key's id"),
            .flag("json", "Print each frame as it came"),
            ClientSettings.serverOption, ClientSettings.clientOption, ClientSettings.caOption,
        ],
        details: """
            Makes its own credential from the client key, as the backend would. Without a token option the
            registration stays as it is. Ctrl-C closes the connection cleanly.
            """,
        run: { arguments, terminal in try await DeviceRun(arguments, terminal).run() })
}

/// One run of `rouse device`.
struct DeviceRun: Sendable {
    private let arguments: Arguments
    private let terminal: Terminal
    private let settings: ClientSettings
    private let user: String
    private let device: String
    private let key: ClientKey

    init(_ arguments: Arguments, _ terminal: Terminal) throws {
        self.arguments = arguments
        self.terminal = terminal
        user = try arguments.required("user")
        device = try arguments.required("device")
        settings = try ClientSettings(arguments)
        key = try settings.clientKey()
    }

    func run() async throws {
        let registration = try Registration(arguments)
        let client = try settings.device(credential())
        if arguments.has("sign-out") {
            try await client.done(.delete, "/v1/device")
            return terminal.out("\(user)/\(device) is signed out")
        }
        if let registration {
            let answer = try await client.json(.put, "/v1/device", registration.bytes)
            if !arguments.has("json") { terminal.out(registered(answer)) }
        }
        if arguments.has("offline") { return }
        try await stayConnected()
    }

    private func credential() throws -> String {
        try key.credential(user: user, device: device, now: WallClock.now() / 1_000)
    }

    private func registered(_ answer: JSONNode) -> String {
        let transports = answer["transports"].map { $0.elements.compactMap(\.string) } ?? []
        let wakeable =
            answer["wakeable"]?.bool == true
            ? "wakeable by \(transports.joined(separator: ", "))" : "not wakeable"
        return "\(user)/\(device) is registered, \(wakeable)"
    }

    private func stayConnected() async throws {
        let address = try settings.serverAddress()
        let tls = try settings.tls(address)
        let loop = settings.clientLoop
        let places = MailboxPlaces(
            directory: arguments.has("forget") ? nil : settings.stateDirectory, user: user, device: device)
        let behaviour = DeviceSession.Behaviour(
            applies: !arguments.has("no-apply"), reads: arguments.has("read"),
            fromHead: arguments.has("from-head"), answers: arguments.has("answer"))
        let me = self
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            loop.post {
                let session = DeviceSession(
                    address: address, tls: tls, loop: loop, behaviour: behaviour, place: places.load(),
                    credential: { try me.credential() }, notice: { me.tell($0, places) },
                    ended: { done.resume() })
                let bound = LoopBound(session, on: loop)
                Signals.onStop { loop.post { bound.value.stop() } }
                session.start()
            }
        }
    }

    private func tell(_ notice: DeviceSession.Notice, _ places: MailboxPlaces) {
        switch notice {
        case .frame(let bytes):
            guard !arguments.has("json") else { return terminal.out(String(decoding: bytes, as: UTF8.self)) }
            guard let frame = (try? JSONDocument(parsing: bytes))?.root else { return }
            terminal.out("\(device)  \(FrameLine.text(frame))")
        case .disconnected(let code, let reason, let pause):
            let closed = code.map { "closed \($0) \(reason)" } ?? reason
            let next = pause.map { "again in \($0) ms" } ?? "not to be tried again"
            terminal.err("\(device)  offline  \(FrameLine.oneLine(closed)); \(next)")
        case .moved(let place): places.save(place)
        }
    }
}

/// What `rouse device` registers; nil if no option speaks of it.
struct Registration: Equatable {
    let bytes: [UInt8]

    init?(_ arguments: Arguments) throws {
        let names = ["apns-token", "voip-token", "fcm-token", "locale", "time-zone"]
        guard names.contains(where: arguments.has) || arguments.has("offline") else { return nil }
        let environment = arguments["environment"] ?? "production"
        guard ["production", "sandbox"].contains(environment) else {
            throw arguments.problem("option --environment needs production or sandbox")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("tokens")
        writer.beginArray()
        for (option, transport) in [("apns-token", "apns"), ("voip-token", "apns_voip")] {
            guard let token = arguments[option] else { continue }
            writer.beginObject()
            writer.member("transport", transport)
            writer.member("token", token)
            writer.member("topic", arguments["topic"] ?? "com.example.app")
            writer.member("environment", environment)
            writer.endObject()
        }
        if let token = arguments["fcm-token"] {
            writer.beginObject()
            writer.member("transport", "fcm")
            writer.member("token", token)
            writer.endObject()
        }
        writer.endArray()
        writer.member("locale", ifPresent: arguments["locale"])
        writer.member("time_zone", ifPresent: arguments["time-zone"])
        writer.endObject()
        bytes = writer.bytes
    }
}
