import Domain

/// One user on stage: a state machine, a clock moved by hand, and short words for what happens.
struct Stage {
    var user: User
    var now: Int64 = 1_000_000
    /// What the wall clock shows when the boot-time clock shows 0.
    var bootedAt: Int64 = 1_700_000_000_000
    var keys = KeyAllocator(epoch: 1, lane: 0)
    private var nextMessage: Int64 = 0
    private var requests: UInt64 = 0
    private var nextToken: Int64 = 1_000

    init(mergeWindow: Int64 = 0, change: (inout Policy) -> Void = { _ in }) {
        var policy = Policy()
        policy.pushMergeWindow = mergeWindow
        change(&policy)
        user = User(
            key: UserKey(1), id: UserID("bob"), mailboxID: MailboxID(bytes: Array(repeating: 7, count: 16)),
            policy: SharedPolicy(policy))
    }

    var moment: Moment {
        Moment(instant: Instant(milliseconds: now), wall: WallTime(milliseconds: now + bootedAt))
    }

    @discardableResult
    mutating func register(
        _ device: DeviceID, _ transports: [Transport] = [.apns], zone: ZoneRules? = nil
    ) -> [UserAction] {
        let tokens = transports.map { transport in
            nextToken += 1
            return TokenDigest(
                key: TokenKey(nextToken), transport: transport, environment: .production,
                registeredAt: moment.wall)
        }
        let profile = DeviceProfile(registeredAt: moment.wall, lastSeen: moment.wall)
        return user.registered(device, profile, zone: zone, tokens: tokens, at: moment, keys: &keys)
    }

    @discardableResult
    mutating func connect(_ device: DeviceID, _ connection: UInt64, after seq: MailboxSeq = 0) -> [UserAction]
    {
        user.connected(
            device, ConnectionID(connection), resume: .after(seq, of: nil), at: moment, keys: &keys)
    }

    @discardableResult
    mutating func message(
        _ id: String? = nil, in conversation: String = "c-1", from sender: UserID = UserID("ann"),
        kind: Message.Conversation.Kind = .direct, members: Int = 2, mention: Mention = .none,
        countsUnread: Bool = true, wantsPush: Bool = true, wantsWake: Bool = false,
        expiresAt: WallTime? = nil, payloadBytes: Int = 0
    ) -> [UserAction] {
        nextMessage += 1
        let message = Message(
            key: MessageKey(nextMessage), id: MessageID(id ?? "m-\(nextMessage)"),
            conversation: Message.Conversation(
                id: ConversationID(conversation), kind: kind, memberCount: members),
            sender: Message.Sender(user: sender), countsUnread: countsUnread, wantsPush: wantsPush,
            expiresAt: expiresAt,
            payload: Array(repeating: 0x20, count: payloadBytes), wantsWake: wantsWake)
        return user.messageArrived(message, mention, at: moment, keys: &keys)
    }

    /// Time passes; what falls due does.
    @discardableResult
    mutating func pass(_ milliseconds: Int64) -> [UserAction] {
        now += milliseconds
        return user.timePassed(to: moment)
    }

    /// The channel's turn for a device.
    mutating func build(_ device: DeviceID) -> (draft: PushDraft?, request: UInt64, actions: [UserAction]) {
        requests += 1
        guard let key = user.device(device)?.key else { return (nil, requests, []) }
        let built = user.build(key, request: requests, at: moment)
        return (built.draft, requests, built.actions)
    }

    /// The next request is built and its provider accepts it.
    mutating func accept(_ device: DeviceID) {
        guard let request = nextRequest(device) else { return }
        answer(device, request, .accepted)
    }

    /// The number of the request that the channel's turn makes; nil: nothing is to be sent.
    mutating func nextRequest(_ device: DeviceID) -> UInt64? {
        let built = build(device)
        return built.draft == nil ? nil : built.request
    }

    var lastRequest: UInt64 { requests }

    /// The user reads a conversation, at the backend or on a device.
    @discardableResult
    mutating func read(
        _ conversation: String, _ seq: MailboxSeq, by device: DeviceID? = nil
    ) -> [UserAction] {
        let read = user.read(ConversationID(conversation), through: seq, by: device, at: moment)
        return (try? read.get()) ?? []
    }

    @discardableResult
    mutating func answer(
        _ device: DeviceID, _ request: UInt64, _ verdict: PushVerdict, jitter: Double = 0.5
    ) -> [UserAction] {
        answer(device, request, verdict, ProviderAnswer(status: 200, reason: ""), jitter: jitter)
    }

    /// The connection breaks under a request that is with its provider.
    @discardableResult
    mutating func loseAnswer(_ device: DeviceID, _ request: UInt64) -> [UserAction] {
        let lost = ProviderAnswer(status: 0, reason: "connection_lost", isUnheard: true)
        return answer(device, request, .channelFault, lost, jitter: 0.5)
    }

    private mutating func answer(
        _ device: DeviceID, _ request: UInt64, _ verdict: PushVerdict, _ answer: ProviderAnswer,
        jitter: Double
    ) -> [UserAction] {
        guard let key = user.device(device)?.key else { return [] }
        return user.answered(key, request: request, verdict, answer, jitter: jitter, at: moment)
    }
}

extension DeviceID {
    static let phone = DeviceID("phone")
    static let tablet = DeviceID("tablet")
}

extension [UserAction] {
    /// The devices that have something to send.
    var queued: Int { count { if case .queue = $0 { true } else { false } } }

    var ends: [Outcome] {
        compactMap { if case .endTask(_, _, let outcome, _, _) = $0 { outcome } else { nil } }
    }

    var reasons: [OutcomeReason] {
        compactMap {
            switch $0 {
            case .endTask(_, _, _, let reason, _), .recordOutcome(_, _, _, let reason, _): reason
            default: nil
            }
        }
    }

    var tasksMade: Int { count { if case .makeTask = $0 { true } else { false } } }
}
