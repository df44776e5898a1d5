import Domain
import Engine

/// A page as `shard_journal.changes`: a format byte, then the tasks made, moved and ended, and the records,
/// each behind their count. Format 1 had no records.
///
/// A page of a later format is one of a later server; a form that was ever used keeps its byte.
enum JournalEncoding {
    static let format: UInt8 = 2

    static func encode(_ page: JournalPage) -> [UInt8] {
        let records = page.records.reduce(0) { $0 + 13 + $1.record.count }
        var writer = JournalWriter(
            capacity: 17 + page.made.count * 58 + page.moved.count * 41 + page.ended.count * 24 + records)
        writer.put(format)
        writer.put(page.made) { $0.put($1) }
        writer.put(page.moved) { $0.put($1) }
        writer.put(page.ended) { $0.put($1) }
        writer.put(page.records) { $0.put($1) }
        return writer.bytes
    }

    /// Nil for bytes that no server up to this one would have written.
    static func decode(_ bytes: [UInt8]) -> JournalPage? {
        var reader = JournalReader(bytes)
        let found = reader.byte()
        guard (1...format).contains(found) else { return nil }
        var page = JournalPage()
        page.made = reader.rows { $0.task() }
        page.moved = reader.rows { $0.move() }
        page.ended = reader.rows { $0.reference() }
        if found >= 2 { page.records = reader.rows { $0.record() } }
        return reader.isAtEnd ? page : nil
    }
}

extension JournalWriter {
    fileprivate mutating func put(_ row: TaskReference) {
        put(row.user.raw)
        put(row.device.raw)
        put(row.seq)
    }

    fileprivate mutating func put(_ row: TaskRow) {
        put(TaskReference(user: row.user, device: row.device, seq: row.seq))
        put(row.key.raw)
        put(row.message.raw)
        put(row.mention.rawValue)
        put(row.state.rawValue)
        put(row.materialisedAt.milliseconds)
        put(row.dueAt.milliseconds)
    }

    fileprivate mutating func put(_ row: TaskMove) {
        put(row.task)
        put(row.state.rawValue)
        put(row.dueAt.milliseconds)
        put(Int64(row.attempts))
    }

    fileprivate mutating func put(_ row: RecordRow) {
        put(row.user.raw)
        put(row.isOwed ? 1 as UInt8 : 0)
        put(row.record)
    }
}

extension JournalReader {
    fileprivate mutating func reference() -> TaskReference {
        TaskReference(user: UserKey(int64()), device: DeviceKey(int64()), seq: int64())
    }

    fileprivate mutating func task() -> TaskRow? {
        let place = reference()
        let (key, message) = (TaskKey(int64()), MessageKey(int64()))
        guard let mention = Mention(rawValue: byte()), let state = StoredTaskState(rawValue: byte()) else {
            return nil
        }
        return TaskRow(
            key: key, user: place.user, device: place.device, message: message, mention: mention,
            seq: place.seq, state: state, materialisedAt: time(), dueAt: time())
    }

    fileprivate mutating func move() -> TaskMove? {
        let task = reference()
        guard let state = StoredTaskState(rawValue: byte()) else { return nil }
        return TaskMove(task: task, state: state, dueAt: time(), attempts: Int(int64()))
    }

    /// As a first one: the first may have been overtaken by this before it was written.
    fileprivate mutating func record() -> RecordRow {
        RecordRow(user: UserKey(int64()), isOwed: byte() != 0, record: bytes(), isFirst: true)
    }

    private mutating func time() -> WallTime { WallTime(milliseconds: int64()) }
}
