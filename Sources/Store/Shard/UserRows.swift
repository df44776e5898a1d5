import Domain
import Engine

/// A user as the first step of a load finds it.
struct FoundUser {
    let key: UserKey
    let name: UserName
    let mailboxID: MailboxID
    let firstSeq: MailboxSeq
    /// Through which the projection goes; 0: none is stored.
    let checkpointSeq: MailboxSeq
    let projection: [UInt8]
    let settings: UserSettings
    /// What its pushes have left; nil: never a push.
    var record: (bytes: [UInt8], isOwed: Bool)?

    /// The columns of `load_users`.
    init(_ row: inout Row) {
        key = UserKey(row.int8())
        name = UserName(tenant: TenantKey(row.int8()), user: UserID(row.text()))
        mailboxID = MailboxID(bytes: row.bytea())
        firstSeq = row.int8()
        checkpointSeq = row.int8OrNil() ?? 0
        projection = row.byteaOrNil() ?? []
        settings = row.settings()
        let isOwed = row.boolOrNil()
        record = row.byteaOrNil().map { ($0, isOwed ?? false) }
    }

    /// The entries whose messages are loaded with the record.
    var shown: [(user: UserKey, seq: MailboxSeq)] {
        guard let bytes = record?.bytes else { return [] }
        return PushRecord(decoding: bytes, messages: [:])?.shownSeqs.map { (key, $0) } ?? []
    }
}

/// The second step of a load: reads what is theirs, and puts users together from the answers.
struct UserRows {
    private let users: [FoundUser]
    private let shown: [(user: UserKey, seq: MailboxSeq)]
    /// Whether to ask for what is still to be done for the users.
    private let withDuties: Bool

    init(_ users: [FoundUser], withDuties: Bool) {
        self.users = users
        self.withDuties = withDuties
        shown = users.flatMap(\.shown)
    }

    func addStatements(to batch: inout StatementBatch) {
        batch.add(.loadTails) {
            $0.int8s(users) { $0.key.raw }
            $0.int8s(users) { $0.checkpointSeq }
        }
        batch.add(.loadDevices) { $0.int8s(users) { $0.key.raw } }
        if !shown.isEmpty {
            batch.add(.loadRecordMessages) {
                $0.int8s(shown) { $0.user.raw }
                $0.int8s(shown) { $0.seq }
            }
        }
        guard withDuties else { return }
        for query: Query in [.loadTasks, .loadTaskMessages, .loadRingingLegs] {
            batch.add(query) { $0.int8s(users) { $0.key.raw } }
        }
    }

    /// Takes the answers to the statements off the front of `answers`.
    func storedUsers(_ answers: inout ArraySlice<Rows>) throws(StoreFailure) -> [StoredUser] {
        let tails = try tailsByUser(answers.popFirst())
        let devices = devicesByUser(answers.popFirst())
        let shown = shown.isEmpty ? [:] : shownByUser(answers.popFirst())
        var tasks: [UserKey: [StoredTask]] = [:]
        var legs: [UserKey: [StoredLeg]] = [:]
        if withDuties {
            tasks = try tasksByUser(answers.popFirst(), answers.popFirst())
            legs = answers.popFirst().map(CallRows.ringingLegs) ?? [:]
        }
        return users.map { user in
            StoredUser(
                key: user.key, name: user.name, mailboxID: user.mailboxID, firstSeq: user.firstSeq,
                checkpoint: user.projection, checkpointSeq: user.checkpointSeq, tail: tails[user.key] ?? [],
                devices: devices[user.key] ?? [], tasks: tasks[user.key] ?? [],
                record: user.record.map { record in
                    let messages = Dictionary(shown[user.key] ?? []) { first, _ in first }
                    return StoredRecord(record: record.bytes, isOwed: record.isOwed, messages: messages)
                },
                settings: user.settings, calls: legs[user.key] ?? [])
        }
    }

    private func shownByUser(_ rows: Rows?) -> [UserKey: [(MailboxSeq, Message)]] {
        grouped(rows?.map { row in (UserKey(row.int8()), (row.int8(), row.message())) })
    }

    private func tailsByUser(_ rows: Rows?) throws(StoreFailure) -> [UserKey: [EntryFact]] {
        grouped(
            try rows?.map { row throws(StoreFailure) in
                let user = UserKey(row.int8())
                guard let fact = row.entryFact() else { throw .failed("a mailbox entry of no kind") }
                return (user, fact)
            })
    }

    /// A row for each token. In the order of their keys, as they were made.
    private func devicesByUser(_ rows: Rows?) -> [UserKey: [StoredDevice]] {
        var devices: [UserKey: [StoredDevice]] = [:]
        for (user, device) in rows?.map({ (UserKey($0.int8()), $0.storedDevice()) }) ?? [] {
            var known = devices.removeValue(forKey: user) ?? []
            if let place = known.firstIndex(where: { $0.key == device.key }) {
                known[place] = known[place].adding(device)
            } else {
                known.insert(device, at: known.firstIndex { device.key < $0.key } ?? known.endIndex)
            }
            devices[user] = known
        }
        return devices
    }

    private func tasksByUser(
        _ tasks: Rows?, _ messages: Rows?
    ) throws(StoreFailure) -> [UserKey: [StoredTask]] {
        let known = messages?.map { $0.message() }.map { ($0.key, $0) } ?? []
        let messages = Dictionary(known) { first, _ in first }
        return grouped(
            try tasks?.map { row throws(StoreFailure) in
                let user = UserKey(row.int8())
                guard let task = row.storedTask(messages) else {
                    throw .failed("a task without its message")
                }
                return (user, task)
            })
    }

    private func grouped<Key: Hashable, Value>(_ rows: [(Key, Value)]?) -> [Key: [Value]] {
        var groups: [Key: [Value]] = [:]
        for (key, value) in rows ?? [] { groups[key, default: []].append(value) }
        return groups
    }
}

extension StoredDevice {
    /// With the tokens of another row of the same device.
    func adding(_ other: StoredDevice) -> StoredDevice {
        StoredDevice(
            key: key, device: device, appliedSeq: appliedSeq, knownSinceSeq: knownSinceSeq, profile: profile,
            digest: (digest + other.digest).sorted { $0.key < $1.key }, tokens: tokens + other.tokens,
            sharedTokens: sharedTokens.union(other.sharedTokens), voIPCount: voIPCount)
    }
}

extension Row {
    /// The columns of `load_devices` after the user.
    fileprivate mutating func storedDevice() -> StoredDevice {
        let (key, device) = (DeviceKey(int8()), DeviceID(text()))
        let (appliedSeq, knownSinceSeq) = (int8(), int8())
        let (profile, voIPCount) = (profile(), voIPCount())
        let isShared = bool()
        let token = digestedTokenOrNil()
        return StoredDevice(
            key: key, device: device, appliedSeq: appliedSeq, knownSinceSeq: knownSinceSeq, profile: profile,
            digest: token.map { [$0.digest] } ?? [], tokens: token?.sealed.map { [$0] } ?? [],
            sharedTokens: isShared ? Set(token.map { [$0.digest.key] } ?? []) : [], voIPCount: voIPCount)
    }
}

extension Row {
    /// The columns of `user_settings`, which may be null each: a user without a row has set nothing.
    fileprivate mutating func settings() -> UserSettings {
        let (start, end) = (int2OrNil(), int2OrNil())
        var quietHours: QuietHours?
        if let start, let end { quietHours = QuietHours(start: Int(start), end: Int(end)) }
        return UserSettings(quietHours: quietHours, timeZone: textOrNil(), locale: textOrNil())
    }

    /// The columns of a device after its cursors.
    mutating func profile() -> DeviceProfile {
        DeviceProfile(
            locale: textOrNil(), timeZone: textOrNil(), appVersion: textOrNil(),
            registeredAt: timestampOrNil(),
            lastSeen: timestamp(), isSignedOut: bool(), loggedOutAt: timestampOrNil())
    }

    fileprivate mutating func storedTask(_ messages: [MessageKey: Message]) -> StoredTask? {
        let device = DeviceKey(int8())
        let seq = int8()
        let key = TaskKey(int8())
        guard let message = messages[MessageKey(int8())] else { return nil }
        let materialisedAt = timestamp()
        let dueAt = timestamp()
        guard let state = StoredTaskState(rawValue: UInt8(int2())) else {
            preconditionFailure("a CHECK holds task states")
        }
        return StoredTask(
            key: key, device: device, message: message, mention: mention(), seq: seq,
            materialisedAt: materialisedAt, state: state, dueAt: dueAt, attempts: Int(int2()),
            isRecalled: bool())
    }
}
