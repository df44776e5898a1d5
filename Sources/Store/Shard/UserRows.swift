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

    /// The columns of `load_users`.
    init(_ row: inout Row) {
        key = UserKey(row.int8())
        name = UserName(tenant: TenantKey(row.int8()), user: UserID(row.text()))
        mailboxID = MailboxID(bytes: row.bytea())
        firstSeq = row.int8()
        checkpointSeq = row.int8OrNil() ?? 0
        projection = row.byteaOrNil() ?? []
        settings = row.settings()
    }
}

/// Puts users together from the answers to the statements that read what is theirs.
struct UserRows {
    /// How many there are.
    static let statements = 8

    private let users: [FoundUser]
    private let tails: Rows
    private let devices: Rows
    private let digests: Rows
    private let tasks: Rows
    private let messages: Rows
    private let records: Rows
    private let recordMessages: Rows
    private let legs: Rows

    /// The second step of a load.
    static func addStatements(of users: [FoundUser], to batch: inout StatementBatch) {
        batch.add(.loadTails) {
            $0.int8s(users) { $0.key.raw }
            $0.int8s(users) { $0.checkpointSeq }
        }
        for query: Query in [
            .loadDevices, .loadDigests, .loadTasks, .loadTaskMessages, .loadRecords, .loadRecordMessages,
            .loadRingingLegs,
        ] {
            batch.add(query) { $0.int8s(users) { $0.key.raw } }
        }
    }

    /// - Precondition: the answers, in the order of the statements.
    init(_ users: [FoundUser], _ answers: ArraySlice<Rows>) {
        let answers = Array(answers)
        self.users = users
        (tails, devices, digests) = (answers[0], answers[1], answers[2])
        (tasks, messages, records) = (answers[3], answers[4], answers[5])
        (recordMessages, legs) = (answers[6], answers[7])
    }

    func storedUsers() throws(StoreFailure) -> [StoredUser] {
        let tails = try tailsByUser()
        let devices = devicesByUser(digestsByDevice())
        let tasks = try tasksByUser()
        let records = recordsByUser()
        let legs = CallRows.ringingLegs(legs)
        return users.map { user in
            StoredUser(
                key: user.key, name: user.name, mailboxID: user.mailboxID, firstSeq: user.firstSeq,
                checkpoint: user.projection, checkpointSeq: user.checkpointSeq, tail: tails[user.key] ?? [],
                devices: devices[user.key] ?? [], tasks: tasks[user.key] ?? [], record: records[user.key],
                settings: user.settings, calls: legs[user.key] ?? [])
        }
    }

    private func recordsByUser() -> [UserKey: StoredRecord] {
        let messages = grouped(
            recordMessages.map { row in (UserKey(row.int8()), (row.int8(), row.message())) })
        let rows = records.map { row in
            let user = UserKey(row.int8())
            let isOwed = row.bool()
            let shown = Dictionary(messages[user] ?? []) { first, _ in first }
            return (user, StoredRecord(record: row.bytea(), isOwed: isOwed, messages: shown))
        }
        return Dictionary(rows) { first, _ in first }
    }

    private func tailsByUser() throws(StoreFailure) -> [UserKey: [EntryFact]] {
        let rows = try tails.map { row throws(StoreFailure) in
            let user = UserKey(row.int8())
            guard let fact = row.entryFact() else { throw .failed("a mailbox entry of no kind") }
            return (user, fact)
        }
        return grouped(rows)
    }

    private func devicesByUser(
        _ digests: [DeviceKey: [LoadedToken]]
    ) -> [UserKey: [StoredDevice]] {
        grouped(
            devices.map { row in
                let user = UserKey(row.int8())
                let key = DeviceKey(row.int8())
                let device = StoredDevice(
                    key: key, device: DeviceID(row.text()), appliedSeq: row.int8(),
                    knownSinceSeq: row.int8(), profile: row.profile(),
                    digest: digests[key]?.map(\.token.digest) ?? [],
                    tokens: digests[key]?.compactMap(\.token.sealed) ?? [],
                    sharedTokens: Set(digests[key]?.filter(\.isShared).map(\.token.digest.key) ?? []),
                    voIPCount: row.voIPCount())
                return (user, device)
            })
    }

    private typealias LoadedToken = (token: DigestedToken, isShared: Bool)

    private func digestsByDevice() -> [DeviceKey: [LoadedToken]] {
        grouped(
            digests.map { row in
                let device = DeviceKey(row.int8())
                let isShared = row.bool()
                return (device, LoadedToken(token: row.digestedToken(), isShared: isShared))
            })
    }

    private func tasksByUser() throws(StoreFailure) -> [UserKey: [StoredTask]] {
        let messages = Dictionary(messages.map { $0.message() }.map { ($0.key, $0) }) { first, _ in first }
        let rows = try tasks.map { row throws(StoreFailure) in
            let user = UserKey(row.int8())
            guard let task = row.storedTask(messages) else { throw .failed("a task without its message") }
            return (user, task)
        }
        return grouped(rows)
    }

    private func grouped<Key: Hashable, Value>(_ rows: [(Key, Value)]) -> [Key: [Value]] {
        var groups: [Key: [Value]] = [:]
        for (key, value) in rows { groups[key, default: []].append(value) }
        return groups
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
