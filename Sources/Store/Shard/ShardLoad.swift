import Domain
import Engine

/// The statements of one load, and the reading of their answers, in one place because their order is one.
///
/// Users come in two steps: who they are, by name or key, and then all that is theirs, by key alone.
struct ShardLoad {
    private let request: LoadRequest
    private let shard: Int16

    init(_ request: LoadRequest, shard: Int16) {
        self.request = request
        self.shard = shard
    }

    /// The first step; nil: nobody is asked for.
    var users: StatementBatch? {
        guard !request.users.isEmpty || !request.userKeys.isEmpty else { return nil }
        var batch = StatementBatch()
        batch.add(.loadUsers) {
            $0.int8s(request.users) { $0.tenant.raw }
            $0.texts(request.users) { $0.user.text }
            $0.int8s(request.userKeys) { $0.raw }
        }
        return batch
    }

    /// The users that are there, by the answer to the first step; nil: none.
    /// - Parameter records: newer than those of the answer.
    func found(_ rows: Rows, _ records: LatestRows<UserKey, RecordRow>) -> UserRows? {
        let users = rows.map { row in
            var user = FoundUser(&row)
            if let newer = records[user.key] { user.record = (newer.record, newer.isOwed) }
            return user
        }
        return users.isEmpty ? nil : UserRows(users, withDuties: !request.dutiesAreInMemory)
    }

    /// The second step, of the users that are there, and everything else; may be empty.
    func statements(of users: UserRows?) -> StatementBatch {
        var batch = StatementBatch()
        users?.addStatements(to: &batch)
        if !request.sharing.isEmpty {
            batch.add(.findSharedTokens) { $0.int8s(request.sharing.flatMap(\.tokens)) { $0.raw } }
        }
        if !request.messages.isEmpty {
            batch.add(.loadKnownMessages) {
                $0.int8s(request.messages) { $0.name.tenant.raw }
                $0.texts(request.messages) { $0.name.message.text }
            }
        }
        for message in request.recalls {
            batch.add(.loadRecallTargets) {
                $0.int2(shard)
                $0.int8(message.tenant.raw)
                $0.text(message.message.text)
                $0.int4(Int32(LoadRequest.recallTargetsLimit))
            }
        }
        if !request.calls.isEmpty { batch.addCallProbes(request.calls) }
        if let time = request.wakesDueBy {
            batch.add(.listDueWakes) {
                $0.int2(shard)
                $0.timestamp(time)
                $0.int4(Int32(LoadRequest.wakesLimit))
            }
        }
        for page in request.pages {
            batch.add(.loadMailboxPage) {
                $0.int8(page.user.tenant.raw)
                $0.text(page.user.user.text)
                $0.int8(page.after)
                $0.int4(Int32(clamping: page.limit))
            }
        }
        if let digests = request.digests {
            batch.add(.followDigests) {
                $0.int2(shard)
                $0.int8(digests.after)
                $0.int4(Int32(DigestQuery.limit))
            }
        }
        return batch
    }

    func read(_ answers: [Rows], of users: UserRows?) -> Result<LoadedBatch, StoreFailure> {
        var loaded = LoadedBatch()
        var rest = answers[...]
        do {
            loaded.users = try users?.storedUsers(&rest) ?? []
            if !request.sharing.isEmpty, let rows = rest.popFirst() {
                loaded.sharedTokens = Set(rows.map { TokenKey($0.int8()) })
            }
            if !request.messages.isEmpty, let rows = rest.popFirst() { loaded.read(rows) }
            for message in request.recalls {
                loaded.recallTargets[message] = rest.popFirst()?.map { $0.recallTarget() }
            }
            if !request.calls.isEmpty, let calls = rest.popFirst(), let legs = rest.popFirst() {
                loaded.calls = CallRows.knownCalls(calls, legs: CallRows.knownLegs(legs))
            }
            if request.digests != nil, let rows = rest.popLast() {
                loaded.digests = FollowedDigest.read(rows)
            }
            if request.wakesDueBy != nil, let rows = rest.popFirst() {
                loaded.wakes = rows.map { UserKey($0.int8()) }
            }
            loaded.pages = try rest.map(Self.page)
            return .success(loaded)
        } catch { return .failure(error) }
    }

    private static func page(_ rows: Rows) throws(StoreFailure) -> [MailboxEntry] {
        try rows.map { row throws(StoreFailure) in
            guard let entry = row.mailboxEntry() else { throw .failed("a mailbox entry without its message") }
            return entry
        }
    }
}

extension LoadedBatch {
    /// The columns of `load_known_messages`: of a message that was taken back before it came, the name alone.
    fileprivate mutating func read(_ rows: Rows) {
        for (name, isRecalled, message) in rows.map({ ($0.messageName(), $0.bool(), $0.messageOrNil()) }) {
            if isRecalled { recalled.insert(name) }
            messages[name] = message.map { KnownMessage(message: $0, recipients: [:]) }
        }
    }
}

extension Row {
    fileprivate mutating func messageName() -> MessageName {
        MessageName(tenant: TenantKey(int8()), message: MessageID(text()))
    }

    fileprivate mutating func recallTarget() -> RecallTarget {
        let user = UserName(tenant: TenantKey(int8()), user: UserID(text()))
        return RecallTarget(user: user, seq: int8(), conversation: ConversationID(text()))
    }
}

/// Asks which recipients of known messages have their entries.
struct RecipientProbe {
    private struct Question {
        let message: KnownMessage
        let tenant: TenantKey
        let recipient: UserID
    }

    private let questions: [Question]

    init(_ probes: [MessageProbe], known: [MessageName: KnownMessage]) {
        questions = probes.flatMap { probe in
            guard let message = known[probe.name] else { return [Question]() }
            return probe.recipients.map {
                Question(message: message, tenant: probe.name.tenant, recipient: $0)
            }
        }
    }

    var statements: StatementBatch {
        var batch = StatementBatch()
        batch.add(.loadKnownRecipients) {
            $0.int8s(questions) { $0.message.message.key.raw }
            $0.int8s(questions) { $0.tenant.raw }
            $0.texts(questions) { $0.recipient.text }
        }
        return batch
    }

    func read(_ answers: [Rows], into loaded: LoadedBatch) -> LoadedBatch {
        var recipients: [Int64: [UserID: MailboxSeq]] = [:]
        let found = answers.first?.map { row in (row.int8(), UserID(row.text()), row.int8()) } ?? []
        for (message, user, seq) in found { recipients[message, default: [:]][user] = seq }
        var loaded = loaded
        loaded.messages = loaded.messages.mapValues {
            KnownMessage(message: $0.message, recipients: recipients[$0.message.key.raw] ?? [:])
        }
        return loaded
    }
}
