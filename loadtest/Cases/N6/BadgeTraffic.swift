import EventLoop
import Wire

/// Random operations over the users of N-6 by a few connections, and samples of their badges in between.
/// Belongs to its loop.
final class BadgeTraffic: Workload {
    struct Plan: Sendable {
        var operations = 10_000
        /// A second.
        var rate = 400
        /// Of a hundred requests so many are samples.
        var samplePercent = 25
        var kinds = BadgeOperation.allCases
        var seed: UInt64 = 1
        var firstMessage = 0

        /// Above every number that operations give to a message.
        var firstSilent: Int { firstMessage + operations }
    }

    struct Result: Sendable {
        var done: [BadgeOperation: Int] = [:]
        /// By user.
        var samples: [[N6Checker.Sample]] = []
        var refusals: [String] = []
        /// When the last mute ends that ends by itself.
        var lastMuteEnd: Int64 = 0

        var operations: Int { done.values.reduce(0, +) }
    }

    private enum UnderWay {
        case sample(user: Int, N6Checker.Sample.Source)
        case operation(BadgeOperation, user: Int, Request)
    }

    private struct Request {
        /// Nil: nothing is asked of the server.
        let bytes: [UInt8]?
        var message: BadgeWorld.Sent?
        /// The device that reads, by itself or by name: the answer is for it.
        var reader: Int?

        init(_ bytes: [UInt8]?, message: BadgeWorld.Sent? = nil, reader: Int? = nil) {
            self.bytes = bytes
            self.message = message
            self.reader = reader
        }
    }

    private static let connections = 16
    private static let lookMilliseconds = 8
    private static let keptRefusals = 20

    private let plan: Plan
    private let loop: EventLoop
    private let fleet: DeviceFleet
    private var world: BadgeWorld
    private var random: SeededGenerator
    private var result = Result()
    private var begun: UInt64 = 0
    private var performed = 0
    private var nextMessage: Int
    private var underWay: [Int: UnderWay] = [:]
    private var connections: [LoadConnection] = []
    private var done: ((Result) -> Void)?

    private init(_ plan: Plan, _ world: BadgeWorld, _ fleet: DeviceFleet, on loop: EventLoop) {
        self.plan = plan
        self.world = world
        self.fleet = fleet
        self.loop = loop
        random = SeededGenerator(seed: plan.seed)
        nextMessage = plan.firstMessage
        result.samples = Array(repeating: [], count: world.users.count)
    }

    /// Performs all of the plan; returns when all is answered.
    static func run(
        _ plan: Plan, _ world: BadgeWorld, _ fleet: DeviceFleet, to address: SocketAddress,
        on loop: EventLoop
    ) async -> Result {
        await withCheckedContinuation { continuation in
            loop.post {
                let traffic = BadgeTraffic(plan, world, fleet, on: loop)
                traffic.done = { continuation.resume(returning: $0) }
                traffic.begun = MonotonicClock.now()
                traffic.connections = (0..<connections).map {
                    LoadConnection($0, to: address, on: loop, workload: traffic)
                }
                for connection in traffic.connections { connection.start() }
                traffic.lookSoon()
            }
        }
    }

    private func lookSoon() {
        loop.timers.arm(afterMilliseconds: Self.lookMilliseconds) { [self] in
            guard !connections.isEmpty else { return }
            for connection in connections { connection.wake() }
            lookSoon()
        }
    }

    // MARK: Requests

    func nextRequest(_ connection: LoadConnection) -> [UInt8]? {
        let allowed = Int(Double(MonotonicClock.now() - begun) / 1e9 * Double(plan.rate)) + 1
        while performed < min(plan.operations, allowed) {
            do throws(CryptoError) {
                let (request, what) = try sampleOrOperation()
                guard let request else { continue }
                underWay[connection.number] = what
                return request
            } catch {
                refuse("a request cannot be made: \(error)")
            }
        }
        finishIfSettled()
        return nil
    }

    private func sampleOrOperation() throws(CryptoError) -> ([UInt8]?, UnderWay) {
        let user = Int.random(in: world.users, using: &random)
        if random.isTrue(inPercent: plan.samplePercent) {
            let (request, source) = try sample(user)
            return (request, .sample(user: user, source))
        }
        let kind = BadgeOperation.any(of: plan.kinds, &random)
        let request = try operation(kind, user)
        // Without bytes it is done and counted, or there was nothing to do it with.
        if request.bytes != nil { performed += 1 }
        return (request.bytes, .operation(kind, user: user, request))
    }

    private func sample(_ user: Int) throws(CryptoError) -> ([UInt8], N6Checker.Sample.Source) {
        let backend = world.group(of: user).target.backend
        let device = world.devices[anyDevice(of: user)]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return (backend.badge(user), .badgeCall)
        case 1: return (try backend.badge(as: device), .deviceBadgeCall)
        default: return (try backend.mailboxPage(as: device), .mailboxCall)
        }
    }

    private func operation(_ kind: BadgeOperation, _ user: Int) throws(CryptoError) -> Request {
        let group = world.group(of: user)
        let backend = group.target.backend
        let conversation = group.conversations.randomElement(using: &random) ?? ""
        let device = anyDevice(of: user)
        switch kind {
        case .message, .mention, .silentMessage, .uncountedMessage:
            let draft = draft(kind, user, conversation)
            let sent = BadgeWorld.Sent(
                number: draft.number, conversation: conversation, recipients: draft.recipients)
            return Request(backend.message(draft), message: sent)
        case .backendRead:
            let reader = random.isTrue(inPercent: 50) ? device : nil
            let name = reader.map { world.devices[$0].name }
            return Request(
                backend.read(user, conversation, through: someSeq(user), by: name), reader: reader)
        case .deviceRead:
            return Request(
                try backend.read(as: world.devices[device], conversation, through: someSeq(user)),
                reader: device)
        case .gatewayRead: return Request(gatewayRead(user, conversation))
        case .readAll:
            return random.isTrue(inPercent: 50)
                ? Request(backend.readAll(user))
                : Request(try backend.readAll(as: world.devices[device]), reader: device)
        case .readMessage:
            guard let message = someMessage(user, of: nil) else { return Request(nil) }
            return Request(backend.read(user, message.conversation, message: message.number))
        case .mute: return Request(backend.mute(user, conversation))
        case .timedMute:
            let end = WallClock.now() + Int64.random(in: 200...3_000, using: &random)
            result.lastMuteEnd = max(result.lastMuteEnd, end)
            return Request(backend.mute(user, conversation, until: end))
        case .unmute: return Request(backend.unmute(user, conversation))
        case .recall:
            guard let message = someMessage(nil, of: user) else { return Request(nil) }
            world.forget(message.number, group: world.groupOf[user])
            return Request(backend.recall(message.number), message: message)
        case .leave: return Request(backend.leave(user, conversation))
        case .connect, .disconnect:
            connect(device, isComing: kind == .connect)
            return Request(nil)
        }
    }

    private func draft(_ kind: BadgeOperation, _ user: Int, _ conversation: String) -> MessageDraft {
        let users = world.group(of: user).users
        var recipients: Set = [user]
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
            recipients.insert(Int.random(in: users, using: &random))
        }
        var draft = MessageDraft(nextMessage, conversation, to: recipients.sorted())
        nextMessage += 1
        draft.isGroup = true
        if random.isTrue(inPercent: 20) { draft.sender = users.randomElement(using: &random) }
        if kind == .mention {
            draft.mentionsAll = random.isTrue(inPercent: 30)
            draft.mentions = draft.mentionsAll ? [] : [user]
        }
        draft.push = kind != .silentMessage
        draft.countsUnread = kind != .uncountedMessage
        return draft
    }

    private func anyDevice(of user: Int) -> Int { world.devices(of: user).randomElement(using: &random) ?? 0 }

    /// One that is surely there, most often near the head.
    private func someSeq(_ user: Int) -> Int64 {
        let known = world.known[user]
        guard known > 0 else { return 0 }
        return random.isTrue(inPercent: 60) ? known : Int64.random(in: 1...known, using: &random)
    }

    /// A message that somebody got, or one of a user's group.
    private func someMessage(_ recipient: Int?, of user: Int?) -> BadgeWorld.Sent? {
        let group = world.groupOf[recipient ?? user ?? 0]
        return world.sent[group].filter { sent in
            recipient.map { sent.recipients.contains($0) } ?? true
        }.randomElement(using: &random)
    }

    // MARK: Devices

    private func gatewayRead(_ user: Int, _ conversation: String) -> [UInt8]? {
        guard let device = world.devices(of: user).first(where: { world.isOnline[$0] }) else { return nil }
        let seq = someSeq(user)
        fleet.send(
            device..<(device + 1),
            text: #"{"type":"READ","conversation_id":"\#(conversation)","mailbox_seq":\#(seq)}"#)
        performed += 1
        count(.gatewayRead)
        return nil
    }

    private func connect(_ device: Int, isComing: Bool) {
        if isComing {
            fleet.connect(device..<(device + 1))
        } else {
            let manner = DropManner.allCases.randomElement(using: &random) ?? .close
            fleet.drop(device..<(device + 1), manner, returningWithinMilliseconds: nil)
        }
        world.isOnline[device] = isComing
        performed += 1
        count(isComing ? .connect : .disconnect)
    }

    // MARK: Answers

    func answered(_ connection: LoadConnection, _ answer: AnswerScanner.Answer) {
        guard let what = underWay.removeValue(forKey: connection.number) else { return }
        let isFine = (200..<300).contains(answer.status)
        switch what {
        case .sample(let user, let source):
            guard isFine else { return refuse("\(source): \(answer.status)") }
            note(answer.body, source, user)
        case .operation(let kind, let user, let request):
            count(kind)
            guard isFine else {
                let text = String(decoding: answer.body.prefix(200), as: UTF8.self)
                return refuse("\(kind): \(answer.status) \(text)")
            }
            if kind == .recall { break }
            if let message = request.message { world.acknowledged(message, group: world.groupOf[user]) }
            if [.backendRead, .deviceRead, .readAll, .readMessage].contains(kind) {
                note(answer.body, .readAnswer, user, for: request.reader)
            }
        }
        finishIfSettled()
    }

    func lost(_ connection: LoadConnection) {
        underWay[connection.number] = nil
        refuse("a request's connection broke")
    }

    private func note(
        _ body: ArraySlice<UInt8>, _ source: N6Checker.Sample.Source, _ user: Int, for reader: Int? = nil
    ) {
        let root = (try? JSONDocument(parsing: Array(body)))?.root
        let node = source == .mailboxCall ? root?["badge"] : root
        guard let badge = node.flatMap({ ShownBadge($0) }) else { return refuse("\(source): no badge") }
        world.learned(user, badge.projectionSeq)
        result.samples[user].append(
            N6Checker.Sample(source: source, badge: badge, at: WallClock.now(), reader: reader))
    }

    private func count(_ kind: BadgeOperation) { result.done[kind, default: 0] += 1 }

    private func refuse(_ text: String) {
        if result.refusals.count < Self.keptRefusals { result.refusals.append(text) }
    }

    private func finishIfSettled() {
        guard performed >= plan.operations, underWay.isEmpty, let done else { return }
        self.done = nil
        for connection in connections { connection.stop() }
        connections = []
        done(result)
    }
}
