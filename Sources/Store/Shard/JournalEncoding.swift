import Domain
import Engine

/// A page as `shard_journal.changes`: a format byte, then the tasks made, moved and ended, each behind
/// their count.
///
/// A page of another format is one of a later server; a form that was ever used keeps its byte.
enum JournalEncoding {
    static let format: UInt8 = 1

    static func encode(_ page: JournalPage) -> [UInt8] {
        var writer = JournalWriter(
            capacity: 16 + page.made.count * 58 + page.moved.count * 41 + page.ended.count * 24)
        writer.put(format)
        writer.put(page.made) { $0.put($1) }
        writer.put(page.moved) { $0.put($1) }
        writer.put(page.ended) { $0.put($1) }
        return writer.bytes
    }

    /// Nil for bytes that this server would not have written.
    static func decode(_ bytes: [UInt8]) -> JournalPage? {
        var reader = JournalReader(bytes)
        guard reader.byte() == format else { return nil }
        var page = JournalPage()
        page.made = reader.rows { $0.task() }
        page.moved = reader.rows { $0.move() }
        page.ended = reader.rows { $0.reference() }
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

    private mutating func time() -> WallTime { WallTime(milliseconds: int64()) }
}
