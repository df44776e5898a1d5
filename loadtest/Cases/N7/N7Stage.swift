import EventLoop
import Wire

/// Sends the waves of N-7 and sees what came of each.
struct N7Stage: Sendable {
    typealias Message = N7Checker.Message

    let target: CaseTarget
    /// Tenants with a limit for each conversation, and with a merge window.
    let talking: CaseTarget
    let merging: CaseTarget
    private(set) var waves: [N7Checker.Wave] = []
    private(set) var expectedTasks = 0
    private(set) var expectedNotified = 0
    private var next = 0

    static let rate = 10
    static let conversationRate = 3
    static let mergeWindow = 1_000
    private static let explained = 5
    private static let slowMilliseconds = 300

    init(target: CaseTarget, talking: CaseTarget, merging: CaseTarget) {
        self.target = target
        self.talking = talking
        self.merging = merging
    }

    // MARK: Sending

    /// Numbered messages of a kind, each in a conversation of its own unless one is named.
    mutating func messages(
        _ count: Int, _ weight: N7Checker.Weight = .direct, in conversation: String? = nil
    ) -> [Message] {
        defer { next += count }
        return (next..<(next + count)).map {
            Message(number: $0, conversation: conversation ?? "c-\($0)", weight: weight)
        }
    }

    func draft(_ message: Message, to user: Int) -> MessageDraft {
        var draft = MessageDraft(message.number, message.conversation, to: [user])
        draft.isGroup = message.weight != .direct
        draft.memberCount =
            draft.isGroup ? (message.weight == .largeGroup ? 5_000 : 12) : nil
        draft.mentions = message.weight == .mention ? [user] : []
        return draft
    }

    /// As lines of requests, up to a thousand in each.
    func post(_ messages: [Message], to user: Int, _ target: CaseTarget) async throws {
        for start in stride(from: 0, to: messages.count, by: 1_000) {
            let part = messages[start..<min(start + 1_000, messages.count)]
            let request = target.backend.messages(part.map { draft($0, to: user) })
            try await post(request, lines: part.count, target)
        }
    }

    /// Until every line is taken: a busy shard answers some with 503.
    private func post(_ request: [UInt8], lines: Int, _ target: CaseTarget) async throws {
        for _ in 0..<50 {
            let answers = try await RequestBatch.run(1, to: target.server.publicAddress, on: target.loop) {
                _ in request
            }
            let nodes = answers[0].body.split(separator: 0x0a).map {
                (try? JSONDocument(parsing: Array($0)))?.root
            }
            let refused = nodes.first { $0?["status"]?.integer != 202 }
            if nodes.count == lines, refused == nil { return }
            guard refused??["retryable"]?.bool == true else {
                let text = String(decoding: answers[0].body.prefix(300), as: UTF8.self)
                throw LoadtestFailure("not every line is taken: \(answers[0].status) \(text)")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw LoadtestFailure("lines are refused again and again")
    }

    // MARK: Waves

    /// Far more than allowed, then a look at each device.
    mutating func wave(
        _ name: String, _ messages: [Message], to devices: [LoadDevice], allowed: Int,
        notified: Int? = nil, in tenant: CaseTarget? = nil,
        _ change: (inout N7Checker.Wave) -> Void = { _ in }
    ) async throws {
        let target = tenant ?? target
        try await post(messages, to: devices[0].user, target)
        try await settle(name, messages, devices, allowed: allowed, notified: notified, target, change)
    }

    /// All are held by a device that is there, and fall due in the moment in which it leaves.
    mutating func releasedTogether(_ user: Int) async throws {
        let device = LoadDevice(user: user)
        let fleet = DeviceFleet(to: [target.server.publicAddress], loops: 1)
        var profile = try target.profile(user, device.name)
        profile.applying = .never
        await fleet.add([profile])
        fleet.connect()
        guard await fleet.waits(withinMilliseconds: 5_000, until: { $0.online == 1 }) else {
            throw LoadtestFailure("a device is not connected")
        }
        let messages =
            messages(40, .largeGroup) + messages(3, .smallGroup) + messages(4) + messages(5, .mention)
        try await post(messages, to: user, target)
        _ = await fleet.waits(withinMilliseconds: 2_500) { $0.entries >= messages.count }
        await fleet.stop()
        try await settle("released together", messages, [device], allowed: Self.rate, notified: nil, target) {
            $0.isTogether = true
        }
    }

    /// Mentions come while lower messages wait behind a slow request.
    mutating func overtaken(_ user: Int) async throws {
        let device = LoadDevice(user: user)
        try await target.providers.script([device.token], "accept", delay: Self.slowMilliseconds)
        let plain = messages(30)
        try await post(plain, to: user, target)
        try await Task.sleep(for: .milliseconds(Self.slowMilliseconds))
        let mentions = messages(5, .mention)
        try await post(mentions, to: user, target)
        try await Task.sleep(for: .milliseconds(Self.slowMilliseconds * 12))
        try await target.providers.script([device.token], "accept")
        try await settle(
            "mentions overtake", plain + mentions, [device], allowed: Self.rate, notified: nil, target
        ) { $0.mustBeSent = Set(mentions.map(\.number)) }
    }

    private mutating func settle(
        _ name: String, _ messages: [Message], _ devices: [LoadDevice], allowed: Int, notified: Int?,
        _ target: CaseTarget, _ change: (inout N7Checker.Wave) -> Void
    ) async throws {
        _ = try await target.tasksEnd(withinSeconds: 10)
        let ids = Set(messages.map { RequestTemplate.messageID($0.number) })
        let pushes = Dictionary(grouping: try await target.providers.pushes(after: 0), by: \.token)
        var wave = N7Checker.Wave()
        wave.name = name
        wave.messages = messages
        wave.allowed = allowed
        wave.pushes = devices.map { device in
            (pushes[device.token] ?? []).filter { ids.contains($0.messageID) }
        }
        change(&wave)
        let sent = Set(wave.pushes.flatMap { $0.map(\.messageID) })
        if !wave.isMerged {
            let dropped = messages.filter { !sent.contains(RequestTemplate.messageID($0.number)) }
            wave.explained = try await target.explanations(
                of: dropped.shuffled().prefix(Self.explained).map { ($0.number, devices[0].user) },
                device: devices[0].name)
        }
        waves.append(wave)
        expectedTasks += messages.count * devices.count
        expectedNotified += (notified ?? allowed) * devices.count
        Progress.say("\(name): \(wave.pushes.map(\.count)) of \(messages.count) sent, allowed \(allowed)")
    }

    // MARK: Bursts

    /// Thousands into a limit that is used up: how deep the queues are, and how much memory there is.
    mutating func burst(_ number: Int, _ count: Int, to user: Int) async throws -> N7Checker.Load {
        let messages = messages(count)
        let watcher = Task { [self] in
            var most = 0
            while !Task.isCancelled {
                most = max(most, (try? await target.depths().values.reduce(0, +)) ?? 0)
                try? await Task.sleep(for: .milliseconds(50))
            }
            return most
        }
        do {
            try await post(messages, to: user, target)
        } catch {
            watcher.cancel()
            throw error
        }
        expectedTasks += count
        _ = try await target.tasksEnd(withinSeconds: 5)
        watcher.cancel()
        let after = try await target.depths().values.reduce(0, +)
        let resident = target.processes.flatMap { ProcessMemory.of($0.server.pid)?.resident } ?? 0
        return N7Checker.Load(
            burst: number, depthAfter: after, depthMost: await watcher.value, resident: resident)
    }
}
