/// The limits' memory as it is stored: times by the wall clock, since a boot-time clock does not outlive its
/// boot.
package struct RateRecord: Equatable, Sendable {
    struct Unit: Equatable {
        let number: UInt32
        let at: WallTime
        let conversation: ConversationID
        let priority: PushPriority
        let isAccepted: Bool
    }

    /// More units than this are stored of no user, and where both limits are higher, none: a restart is
    /// strict about limits that people set for people.
    static let unitsKept = 128
    static let verdictsKept = 4_096

    var units: [Unit] = []
    /// The verdicts on messages of which copies are open.
    var admitted: [MailboxSeq: UInt32] = [:]
    var dropped: Set<MailboxSeq> = []

    func encode(into bytes: inout ByteEncoder) {
        let conversations = units.isEmpty ? [] : Set(units.map(\.conversation)).sorted()
        bytes.put(conversations.count)
        for conversation in conversations { bytes.put(text: conversation.text) }
        bytes.put(units.count)
        var former = Unit.first
        for unit in units {
            bytes.put(Int(unit.number &- former.number))
            bytes.put(max(0, unit.at - former.at))
            bytes.put(conversations.firstIndex(of: unit.conversation) ?? 0)
            bytes.put(Int(unit.priority.rawValue) << 1 | (unit.isAccepted ? 1 : 0))
            former = unit
        }
        bytes.put(admitted.count)
        // Most records have neither, and an empty sort allocates.
        if !admitted.isEmpty {
            for (seq, unit) in admitted.sorted(by: { $0.key < $1.key }) {
                bytes.put(seq)
                bytes.put(Int(unit))
            }
        }
        bytes.put(dropped.count)
        if !dropped.isEmpty { for seq in dropped.sorted() { bytes.put(seq) } }
    }

    init() {}

    init?(from decoder: inout ByteDecoder) {
        var former = Unit.first
        guard let conversations = decoder.takeList({ $0.takeText() }),
            let units = decoder.takeList({ decoder -> Unit? in
                guard let unit = Unit(from: &decoder, conversations, after: former) else { return nil }
                former = unit
                return unit
            }),
            let admitted = decoder.takeList({ decoder -> (MailboxSeq, UInt32)? in
                guard let seq = decoder.take(), let unit = decoder.take() else { return nil }
                return (Int64(seq), UInt32(truncatingIfNeeded: unit))
            }),
            let dropped = decoder.takeList({ $0.take().map { Int64($0) } })
        else { return nil }
        self.units = units
        self.admitted = Dictionary(admitted) { first, _ in first }
        self.dropped = Set(dropped)
    }
}

extension RateRecord.Unit {
    /// What the first is told apart from.
    fileprivate static let first = RateRecord.Unit(
        number: 0, at: WallTime(milliseconds: 0), conversation: ConversationID(""), priority: .mention,
        isAccepted: false)

    fileprivate init?(
        from decoder: inout ByteDecoder, _ conversations: [String], after former: RateRecord.Unit
    ) {
        guard let number = decoder.take(), let wait = decoder.take(), let place = decoder.take(),
            let packed = decoder.take(), conversations.indices.contains(place),
            let priority = PushPriority(rawValue: UInt8(truncatingIfNeeded: packed >> 1))
        else { return nil }
        self.init(
            number: former.number &+ UInt32(truncatingIfNeeded: number),
            at: WallTime(milliseconds: former.at.milliseconds &+ Int64(wait)),
            conversation: ConversationID(conversations[place]), priority: priority,
            isAccepted: packed & 1 == 1)
    }
}

extension Moment {
    /// When something was, by the wall clock: that keeps its distance from now, however the boot-time clock
    /// ran.
    func wallTime(of instant: Instant) -> WallTime { wall + (instant - self.instant) }

    /// When something was, by the boot-time clock: never in the future, should the wall clock have gone back.
    func instant(of time: WallTime) -> Instant { instant + min(0, time - wall) }
}

extension User {
    /// The limits' part of what is stored.
    mutating func rateRecord(at now: Moment) -> RateRecord {
        var record = RateRecord()
        let limit = min(policy.pushRatePerUserPerMinute, policy.pushRatePerConversationPerMinute)
        if limit <= RateRecord.unitsKept {
            rateWindow.forget(before: now.instant)
            record.units = rateWindow.units.suffix(RateRecord.unitsKept).map {
                RateRecord.Unit(
                    number: $0.number, at: now.wallTime(of: $0.at), conversation: $0.conversation,
                    priority: $0.priority, isAccepted: $0.isAccepted)
            }
        }
        for index in devices.indices {
            for hold in devices[index].holds.indices { record.remember(devices[index].holds[hold].task) }
            for group in devices[index].groups.indices {
                for task in devices[index].groups[group].tasks.indices {
                    record.remember(devices[index].groups[group].tasks[task])
                }
            }
        }
        return record
    }

    mutating func adopt(_ record: RateRecord, at now: Moment) {
        rateWindow = RateWindow(record, at: now)
        restoredVerdicts = record.admitted.mapValues { .admitted($0) }
        for seq in record.dropped { restoredVerdicts[seq] = .dropped }
    }
}

extension RateRecord {
    fileprivate mutating func remember(_ task: PushTask) {
        guard let verdict = task.verdict, admitted.count + dropped.count < Self.verdictsKept else {
            return
        }
        switch verdict {
        case .admitted(let unit): admitted[task.seq] = unit
        case .dropped: dropped.insert(task.seq)
        }
    }
}
