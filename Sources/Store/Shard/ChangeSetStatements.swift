import Domain
import Engine

extension StatementBatch {
    /// One statement per table that changes. Answers with the place of the one that appends digests.
    ///
    /// Two shards can meet in few tables only, at a call, a token (and the note that it is shared) and a
    /// message: all are inserted in the order of their unique keys, and the tables in this order, so that no
    /// two wait for each other. Messages come last: who meets them waits for the end of the transaction.
    /// - Parameter page: what is written of what may wait in the journal; of `changes` nothing of it is.
    @discardableResult
    mutating func append(_ changes: ChangeSet, _ page: JournalPage, shard: Int16) -> Int? {
        if !changes.newUsers.isEmpty { insertUsers(changes.newUsers, shard) }
        if !changes.calls.calls.isEmpty { insertCalls(changes.calls.calls) }
        if !changes.entries.isEmpty { insertEntries(changes.entries.map(EntryColumns.init)) }
        if !changes.devices.isEmpty { putDevices(changes.devices) }
        if !changes.cursors.isEmpty { moveCursors(changes.cursors) }
        if !changes.tokensRemoved.isEmpty {
            add(.deleteTokens) { $0.int8s(changes.tokensRemoved) { $0.raw } }
        }
        if !changes.tokensAdded.isEmpty { insertTokens(changes.tokensAdded) }
        let digests = appendDigests(changes.digestsChanged)
        append(page, shard: shard)
        if !changes.outcomes.isEmpty { insertOutcomes(changes.outcomes) }
        if !changes.checkpoints.isEmpty { putCheckpoints(changes.checkpoints) }
        if !changes.wakes.isEmpty { putWakes(changes.wakes, shard) }
        if !changes.settings.isEmpty { putSettings(changes.settings) }
        append(changes.calls, shard)
        if changes.marksDrained { add(.markShardDrained) { $0.int2(shard) } }
        if !changes.messages.isEmpty { insertMessages(changes.messages) }
        return digests
    }

    /// Tasks go before others come: one can come back.
    mutating func append(_ page: JournalPage, shard: Int16) {
        if !page.ended.isEmpty { add(.deleteTasks) { $0.references(page.ended) { $0 } } }
        if !page.made.isEmpty { insertTasks(page.made, shard) }
        if !page.moved.isEmpty { moveTasks(page.moved) }
        putRecords(page.records, shard)
    }

    mutating func appendJournal(_ page: JournalPage, at position: Int64, shard: Int16) {
        add(.appendJournal) {
            $0.int2(shard)
            $0.int8(position)
            $0.bytea(JournalEncoding.encode(page))
        }
    }

    mutating func trimJournal(_ places: ClosedRange<Int64>, shard: Int16) {
        add(.trimJournal) {
            $0.int2(shard)
            $0.int8(places.lowerBound)
            $0.int8(places.upperBound)
        }
    }

    /// After the tokens, from which it reads.
    private mutating func appendDigests(_ changed: [DeviceKey: WallTime]) -> Int? {
        guard let latest = changed.values.max() else { return nil }
        add(.appendDigests) {
            $0.int8s(changed.keys) { $0.raw }
            $0.timestamp(latest)
        }
        return steps.count - 1
    }

    private mutating func insertUsers(_ rows: [UserRow], _ shard: Int16) {
        add(.insertUsers) {
            $0.int2(shard)
            $0.int8s(rows) { $0.key.raw }
            $0.int8s(rows) { $0.name.tenant.raw }
            $0.texts(rows) { $0.name.user.text }
            $0.byteas(rows) { $0.mailboxID.bytes }
        }
    }

    private mutating func insertMessages(_ unsorted: [MessageRow]) {
        let rows = unsorted.sorted { ($0.tenant, $0.message.id) < ($1.tenant, $1.message.id) }
        add(.insertMessages) {
            $0.int8s(rows) { $0.tenant.raw }
            $0.int8s(rows) { $0.message.key.raw }
            $0.texts(rows) { $0.message.id.text }
            $0.texts(rows) { $0.message.conversation.id.text }
            $0.int2s(rows) { Int16($0.message.conversation.kind.rawValue) }
            $0.texts(rows) { $0.message.conversation.name }
            $0.int4s(rows) { Int32(clamping: $0.message.conversation.memberCount) }
            $0.bools(rows) { $0.message.conversation.isEndToEndEncrypted }
            $0.texts(rows) { $0.message.sender.user.text }
            $0.texts(rows) { $0.message.sender.name }
            $0.texts(rows) { $0.message.sender.device?.text }
            $0.bools(rows) { $0.message.countsUnread }
            $0.bools(rows) { $0.message.wantsPush }
            $0.timestamps(rows) { $0.message.sentAt }
            $0.timestamps(rows) { $0.message.expiresAt }
            $0.byteas(rows) { $0.message.notification }
            $0.byteas(rows) { $0.message.payload }
            $0.bools(rows) { $0.message.wantsWake }
        }
    }

    private mutating func insertEntries(_ rows: [EntryColumns]) {
        add(.insertEntries) {
            $0.int8s(rows) { $0.user }
            $0.int8s(rows) { $0.seq }
            $0.int2s(rows) { $0.kind.rawValue }
            $0.timestamps(rows) { $0.materialisedAt }
            $0.int8s(rows) { $0.messageKey }
            $0.int8s(rows) { $0.otherSeq }
            $0.int2s(rows) { $0.mention }
            $0.bools(rows) { $0.countsUnread }
            $0.bools(rows) { $0.isMuted }
            $0.timestamps(rows) { $0.mutedUntil }
            $0.texts(rows) { $0.conversation }
            $0.texts(rows) { $0.messageID }
            $0.texts(rows) { $0.device }
        }
    }

    private mutating func putDevices(_ rows: [DeviceRow]) {
        add(.putDevices) {
            $0.int8s(rows) { $0.key.raw }
            $0.int8s(rows) { $0.user.raw }
            $0.texts(rows) { $0.device.text }
            $0.int8s(rows) { $0.appliedSeq }
            $0.int8s(rows) { $0.knownSinceSeq }
            $0.texts(rows) { $0.profile.locale }
            $0.texts(rows) { $0.profile.timeZone }
            $0.texts(rows) { $0.profile.appVersion }
            $0.timestamps(rows) { $0.profile.registeredAt }
            $0.timestamps(rows) { $0.profile.lastSeen }
            $0.bools(rows) { $0.profile.isSignedOut }
            $0.timestamps(rows) { $0.profile.loggedOutAt }
        }
    }

    private mutating func moveCursors(_ rows: [CursorRow]) {
        add(.moveCursors) {
            $0.int8s(rows) { $0.device.raw }
            $0.int8s(rows) { $0.appliedSeq }
            $0.timestamps(rows) { $0.lastSeen }
        }
    }

    private mutating func insertTokens(_ unsorted: [TokenRow]) {
        let rows = unsorted.sorted { $0.token.lookup.lexicographicallyPrecedes($1.token.lookup) }
        add(.insertTokens) {
            $0.int8s(rows) { $0.token.digest.key.raw }
            $0.int8s(rows) { $0.tenant.raw }
            $0.int8s(rows) { $0.user.raw }
            $0.int8s(rows) { $0.device.raw }
            $0.int2s(rows) { Int16($0.token.digest.transport.rawValue) }
            $0.int2s(rows) { Int16($0.token.digest.environment.rawValue) }
            $0.texts(rows) { $0.token.topic }
            $0.byteas(rows) { $0.token.sealed }
            $0.texts(rows) { $0.token.keyID }
            $0.byteas(rows) { $0.token.lookup }
            $0.timestamps(rows) { $0.token.digest.registeredAt }
        }
    }

    private mutating func insertTasks(_ rows: [TaskRow], _ shard: Int16) {
        add(.insertTasks) {
            $0.int2(shard)
            $0.int8s(rows) { $0.user.raw }
            $0.int8s(rows) { $0.device.raw }
            $0.int8s(rows) { $0.seq }
            $0.int8s(rows) { $0.key.raw }
            $0.int8s(rows) { $0.message.raw }
            $0.int2s(rows) { Int16($0.mention.rawValue) }
            $0.int2s(rows) { Int16($0.state.rawValue) }
            $0.timestamps(rows) { $0.materialisedAt }
            $0.timestamps(rows) { $0.dueAt }
        }
    }

    private mutating func moveTasks(_ rows: [TaskMove]) {
        add(.moveTasks) {
            $0.references(rows) { $0.task }
            $0.int2s(rows) { Int16($0.state.rawValue) }
            $0.timestamps(rows) { $0.dueAt }
            $0.int2s(rows) { Int16(clamping: $0.attempts) }
        }
    }

    private mutating func insertOutcomes(_ rows: [OutcomeRow]) {
        add(.insertOutcomes) {
            $0.int8s(rows) { $0.user.raw }
            $0.int8s(rows) { $0.device.raw }
            $0.int8s(rows) { $0.seq }
            $0.int2s(rows) { Int16($0.outcome.rawValue) }
            $0.int2s(rows) { Int16($0.reason.rawValue) }
            $0.timestamps(rows) { $0.endedAt }
            $0.byteas(rows) { $0.trace }
        }
    }

    private mutating func putWakes(_ rows: [WakeRow], _ shard: Int16) {
        add(.putWakes) {
            $0.int2(shard)
            $0.int8s(rows) { $0.user.raw }
            $0.timestamps(rows) { $0.at }
        }
    }

    /// In one order, and the first before others: whoever removes users locks them and their rows so, too.
    private mutating func putRecords(_ unsorted: [RecordRow], _ shard: Int16) {
        let rows = unsorted.sorted { $0.user < $1.user }
        let (first, later) = (rows.filter(\.isFirst), rows.filter { !$0.isFirst })
        if !first.isEmpty {
            add(.putRecords) {
                $0.int2(shard)
                $0.columns(of: first)
            }
        }
        if !later.isEmpty { add(.updateRecords) { $0.columns(of: later) } }
    }

    private mutating func putSettings(_ rows: [SettingsRow]) {
        add(.putSettings) {
            $0.int8s(rows) { $0.user.raw }
            $0.int2s(rows) { $0.settings.quietHours.map { Int16($0.start) } }
            $0.int2s(rows) { $0.settings.quietHours.map { Int16($0.end) } }
            $0.texts(rows) { $0.settings.timeZone }
            $0.texts(rows) { $0.settings.locale }
        }
    }

    private mutating func putCheckpoints(_ rows: [CheckpointRow]) {
        add(.putCheckpoints) {
            $0.int8s(rows) { $0.user.raw }
            $0.int8s(rows) { $0.throughSeq }
            $0.byteas(rows) { $0.projection }
        }
    }
}

extension ParameterWriter {
    fileprivate mutating func columns(of rows: [RecordRow]) {
        int8s(rows) { $0.user.raw }
        bools(rows) { $0.isOwed }
        byteas(rows) { $0.record }
    }

    /// The three columns of a task's primary key.
    fileprivate mutating func references<Row>(_ rows: [Row], _ task: (Row) -> TaskReference) {
        int8s(rows) { task($0).user.raw }
        int8s(rows) { task($0).device.raw }
        int8s(rows) { task($0).seq }
    }
}
