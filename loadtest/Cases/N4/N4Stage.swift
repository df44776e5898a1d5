import EventLoop
import Wire

/// Performs scenes of N-4, each with users of its own, and looks at what the providers got.
struct N4Stage: Sendable {
    /// How long a request stays with a provider that is slow.
    private static let slowMilliseconds = 1_500

    let target: CaseTarget
    /// Tenants with a merge window, and with a channel that is halted.
    let merging: CaseTarget
    let halting: CaseTarget
    /// Readers that are connected.
    let phones: DeviceFleet
    let phoneOf: [Int: Int]
    let log: PushLog

    static let mergeWindow = 1_500

    func target(of scene: N4Scene) -> CaseTarget {
        switch scene {
        case .merging: merging
        case .halted, .inFlightRefused: halting
        default: target
        }
    }

    /// - Returns: a performance of each device that is woken.
    func perform(_ scene: N4Scene, users: Range<Int>) async throws -> [N4Checker.Performance] {
        let target = target(of: scene)
        let devices = users.map { tablet($0) }
        try await target.register(devices)
        if scene == .reader { try await target.register(users.map { laptop($0) }) }
        switch scene {
        case .held, .online: try await withTablets(scene, users, target)
        case .merging:
            try await send(0, users, target)
            try await read(scene, users, target)
            try await Task.sleep(for: .milliseconds(2 * Self.mergeWindow))
        case .waiting: try await waiting(users, target)
        case .halted, .inFlightRefused: try await refusing(scene, users, target)
        case .inFlight:
            try await slow(devices, target)
            try await send(0, users, target)
            await arrived(users.count, devices, "alert")
            try await read(scene, users, target)
            await arrived(users.count, devices, "cover")
        case .crash: try await crash(users, target)
        default: try await accepted(scene, users, target)
        }
        try await Task.sleep(for: .milliseconds(1_000))
        return try await seen(scene, users, target)
    }

    private func tablet(_ user: Int) -> LoadDevice {
        LoadDevice(user: user, transport: target.transports[user % target.transports.count])
    }

    private func laptop(_ user: Int) -> LoadDevice {
        LoadDevice(user: user, name: LoadTenant.laptop, transport: tablet(user).transport)
    }

    // MARK: Steps

    static func message(_ user: Int, _ index: Int) -> Int { user * 10 + index }

    private func name(_ conversation: Int, _ user: Int) -> String { "c\(conversation)-\(user)" }

    private func send(_ index: Int, _ users: Range<Int>, _ target: CaseTarget, conversation: Int = 0)
        async throws
    {
        _ = try await target.send(
            users.map {
                MessageDraft(Self.message($0, index), name(conversation, $0), to: [$0])
            })
    }

    /// One half by the backend, which names the reader or does not; others by the reader itself, by HTTP or
    /// over its connection.
    private func read(
        _ scene: N4Scene, _ users: Range<Int>, _ target: CaseTarget, conversation: Int = 0
    ) async throws {
        let backend = target.backend
        let seq = scene.readThrough
        var requests: [[UInt8]] = []
        for user in users {
            let id = name(conversation, user)
            if let phone = phoneOf[user], scene != .crash {
                phones.send(
                    phone..<(phone + 1),
                    text: #"{"type":"READ","conversation_id":"\#(id)","mailbox_seq":\#(seq)}"#)
            } else if user / 2 % 4 == 0 {
                requests.append(backend.read(user, id, through: seq))
            } else if user / 2 % 4 == 1 {
                requests.append(backend.read(user, id, through: seq, by: LoadTenant.phone))
            } else {
                let phone = LoadDevice(user: user, name: LoadTenant.phone)
                requests.append(try backend.read(as: phone, id, through: seq))
            }
        }
        try await target.call(requests)
    }

    /// Every accepted request of these devices is answered late.
    private func slow(_ devices: [LoadDevice], _ target: CaseTarget) async throws {
        try await target.providers.script(devices.map(\.token), "accept", delay: Self.slowMilliseconds)
    }

    private func arrived(_ count: Int, _ devices: [LoadDevice], _ kind: String) async {
        await log.awaits(count, of: devices) { $0.kind == kind }
    }

    // MARK: Scenes

    private func accepted(_ scene: N4Scene, _ users: Range<Int>, _ target: CaseTarget) async throws {
        let conversations = scene.expectation.conversations
        for (index, conversation) in conversations.enumerated() {
            try await send(index, users, target, conversation: conversation)
        }
        let devices = users.map { tablet($0) }
        let all = scene == .reader ? devices + users.map { laptop($0) } : devices
        await arrived(conversations.count * all.count, all, "alert")
        // Until the answers are back: what is with the provider is another scene.
        try await Task.sleep(for: .milliseconds(300))
        switch scene {
        case .applied:
            _ = try await target.apply(users.map { (user: $0, seq: 1) })
            try await read(scene, users, target)
        case .all: try await target.call(users.map { target.backend.readAll($0, by: LoadTenant.phone) })
        case .recalled, .recalledNewest:
            let last = conversations.count - 1
            try await target.call(users.map { target.backend.recall(Self.message($0, last)) })
        case .reader:
            try await target.call(
                try users.map { try target.backend.read(as: tablet($0), name(0, $0), through: 1) })
        default: try await read(scene, users, target)
        }
        let covered = scene == .reader ? users.map { laptop($0) } : devices
        await arrived(users.count, covered, "cover")
    }

    /// The tablets are there when the user reads: before the push, or after it.
    private func withTablets(_ scene: N4Scene, _ users: Range<Int>, _ target: CaseTarget) async throws {
        let fleet = DeviceFleet(to: [target.server.publicAddress], loops: 1)
        await fleet.add(
            try users.map { user in
                var profile = try target.profile(user, LoadTenant.device)
                profile.applying = scene == .held ? .never : .atOnce
                return profile
            })
        if scene == .online {
            try await send(0, users, target)
            await arrived(users.count, users.map { tablet($0) }, "alert")
            try await Task.sleep(for: .milliseconds(300))
        }
        fleet.connect()
        let count = users.count
        guard await fleet.waits(withinMilliseconds: 10_000, until: { $0.online == count }) else {
            throw LoadtestFailure("not every tablet is connected: \(await fleet.totals)")
        }
        if scene == .held { try await send(0, users, target) }
        _ = await fleet.waits(withinMilliseconds: 2_500) { $0.entries >= count }
        try await read(scene, users, target)
        _ = await fleet.waits(withinMilliseconds: 2_500) { $0.entries >= 2 * count }
        try await Task.sleep(for: .milliseconds(500))
        await fleet.stop()
    }

    /// A second message waits behind a slow request, and is read.
    private func waiting(_ users: Range<Int>, _ target: CaseTarget) async throws {
        let devices = users.map { tablet($0) }
        try await slow(devices, target)
        try await send(0, users, target)
        await arrived(users.count, devices, "alert")
        try await send(1, users, target, conversation: 1)
        try await read(.waiting, users, target, conversation: 1)
        try await Task.sleep(for: .milliseconds(2 * Self.slowMilliseconds))
    }

    /// The provider answers 503, at once or late; afterwards it accepts.
    private func refusing(_ scene: N4Scene, _ users: Range<Int>, _ target: CaseTarget) async throws {
        let devices = users.map { tablet($0) }
        let apns = devices.filter { $0.transport == .apns }.map(\.token)
        let fcm = devices.filter { $0.transport == .fcm }.map(\.token)
        let delay = scene == .halted ? 0 : Self.slowMilliseconds
        try await target.providers.script(apns, "ServiceUnavailable", delay: delay)
        try await target.providers.script(fcm, "UNAVAILABLE", delay: delay)
        try await send(0, users, target)
        // A halted channel tries few of them, and the others wait.
        await arrived(scene == .halted ? 2 : users.count, devices, "alert")
        try await read(scene, users, target)
        try await Task.sleep(for: .milliseconds(2 * Self.slowMilliseconds))
        try await target.providers.script(devices.map(\.token), "accept")
        try await send(1, users, target, conversation: 1)
        // For as long as a channel may be halted.
        let ids = Set(users.map { RequestTemplate.messageID(Self.message($0, 1)) })
        await log.awaits(users.count, of: devices, withinSeconds: 90) {
            $0.isAccepted && ids.contains($0.messageID)
        }
    }

    /// The cover waits behind a slow request when the server is killed.
    private func crash(_ users: Range<Int>, _ target: CaseTarget) async throws {
        guard let server = target.processes?.server else { return }
        let devices = users.map { tablet($0) }
        try await send(0, users, target)
        await arrived(users.count, devices, "alert")
        try await Task.sleep(for: .milliseconds(300))
        try await target.providers.script(devices.map(\.token), "accept", delay: 5_000)
        try await send(1, users, target, conversation: 1)
        await arrived(2 * users.count, devices, "alert")
        try await read(.crash, users, target)
        Progress.say("the reads are answered: kill -9")
        try await server.kill()
        try await target.providers.script(devices.map(\.token), "accept")
        try await server.start()
        await arrived(users.count, devices, "cover")
        try await Task.sleep(for: .seconds(2))
    }

    // MARK: Looking

    private func seen(_ scene: N4Scene, _ users: Range<Int>, _ target: CaseTarget) async throws
        -> [N4Checker.Performance]
    {
        let badges = try await target.badges(of: Array(users))
        var all: [N4Checker.Performance] = []
        for (user, badge) in zip(users, badges) {
            var performance = N4Checker.Performance()
            performance.scene = scene
            performance.expected = scene.expectation
            performance.device = tablet(user)
            performance.messages = performance.expected.conversations.indices.map { Self.message(user, $0) }
            performance.pushes = log[performance.device.token]
            performance.total = badge.unread
            all.append(performance)
            guard scene == .reader else { continue }
            performance.device = laptop(user)
            performance.expected = N4Scene.accepted.expectation
            performance.pushes = log[performance.device.token]
            all.append(performance)
        }
        return all
    }
}
