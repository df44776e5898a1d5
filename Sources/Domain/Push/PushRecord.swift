/// What must outlive a push, of one user: one value, written whole with the outcomes that changed it.
///
/// Format 3: little-endian base-128 integers, texts behind their length, lists behind their count.
package struct PushRecord: Equatable, Sendable {
    /// Of devices of which there is something to remember, ascending by key.
    package fileprivate(set) var devices: [Remembered] = []
    /// What the limits have let in, and what they said about messages whose copies are open.
    var rate = RateRecord()

    package struct Remembered: Equatable, Sendable {
        package let key: DeviceKey
        package fileprivate(set) var record: DeviceRecord
    }

    package init(devices: [Remembered] = []) { self.devices = devices }

    package subscript(device: DeviceKey) -> DeviceRecord? { devices.first { $0.key == device }?.record }

    /// The entries whose messages a cover may have to show anew: the store finds them with the record.
    package var shownSeqs: [MailboxSeq] {
        var seqs: [MailboxSeq] = []
        seqs.reserveCapacity(devices.count * Banner.entriesKept)
        for device in devices.indices { devices[device].record.addShownSeqs(to: &seqs) }
        seqs.sort()
        var last: MailboxSeq?
        seqs.removeAll { seq in
            defer { last = seq }
            return seq == last
        }
        return seqs
    }

    package func encoded() -> [UInt8] {
        var bytes = ByteEncoder(capacity: 256)
        bytes.put(Self.format)
        bytes.put(devices.count)
        for device in devices.indices {
            bytes.put(devices[device].key.raw)
            devices[device].record.encode(into: &bytes)
        }
        rate.encode(into: &bytes)
        return bytes.bytes
    }

    private static let format = 3

    /// Nil if the bytes are no record of this format, nor of format 2, which knew no doubt about a badge.
    ///
    /// - Parameter messages: by the seqs of their entries.
    package init?(decoding bytes: [UInt8], messages: [MailboxSeq: Message]) {
        var decoder = ByteDecoder(bytes)
        guard let format = decoder.take(), format == 2 || format == Self.format else { return nil }
        let devices = decoder.takeList { decoder -> Remembered? in
            guard let key = decoder.take(), let record = DeviceRecord(from: &decoder, messages) else {
                return nil
            }
            return Remembered(key: DeviceKey(Int64(key)), record: record)
        }
        guard let devices, let rate = RateRecord(from: &decoder), decoder.isAtEnd else { return nil }
        self.rate = rate
        self.devices = devices
    }
}

extension DeviceRecord {
    fileprivate func addShownSeqs(to seqs: inout [MailboxSeq]) {
        for banner in banners.indices {
            for entry in banners[banner].entries.indices { seqs.append(banners[banner].entries[entry].seq) }
        }
    }

    fileprivate func encode(into bytes: inout ByteEncoder) {
        bytes.put((badge == nil ? 0 : 1) + (isBadgeDoubtful ? 2 : 0))
        if let badge {
            bytes.put(badge.total)
            bytes.put(badge.revision)
        }
        bytes.put(badgePushes)
        bytes.put(banners.count)
        for banner in banners.indices { banners[banner].encode(into: &bytes) }
        bytes.put(covered.count)
        for banner in covered {
            bytes.put(text: banner.conversation.text)
            bytes.put(banner.seq)
        }
        bytes.put(wakes.count)
        for time in wakes { bytes.put(max(0, time.milliseconds)) }
    }

    fileprivate init?(from decoder: inout ByteDecoder, _ messages: [MailboxSeq: Message]) {
        self.init()
        guard let known = decoder.take(), known < 4 else { return nil }
        isBadgeDoubtful = known & 2 != 0
        if known & 1 != 0 {
            guard let total = decoder.take(), let revision = decoder.take() else { return nil }
            badge = GivenBadge(total: Int64(total), revision: Int64(revision))
        }
        guard let pushes = decoder.take(),
            let banners = decoder.takeList({ Banner(from: &$0, messages) }),
            let covered = decoder.takeList({ CoveredBanner(from: &$0) }),
            let wakes = decoder.takeList({ $0.take().map { WallTime(milliseconds: Int64($0)) } })
        else { return nil }
        badgePushes = pushes
        self.banners = banners
        self.covered = covered
        self.wakes = wakes
    }
}

extension Banner {
    fileprivate func encode(into bytes: inout ByteEncoder) {
        bytes.put(text: conversation.text)
        bytes.put(text: oldestMessage.text)
        bytes.put(staleSince ?? 0)
        bytes.put(entries.count)
        for entry in entries.indices {
            bytes.put(entries[entry].seq)
            bytes.put(Int(entries[entry].mention.rawValue))
        }
    }

    fileprivate init?(from decoder: inout ByteDecoder, _ messages: [MailboxSeq: Message]) {
        guard let conversation = decoder.takeText(), let oldest = decoder.takeText(),
            let stale = decoder.take()
        else { return nil }
        let entries = decoder.takeList { decoder -> NotifiedEntry? in
            guard let seq = decoder.take(), let mention = decoder.take(),
                let mention = Mention(rawValue: UInt8(clamping: mention))
            else { return nil }
            return NotifiedEntry(seq: Int64(seq), mention: mention, message: messages[Int64(seq)])
        }
        guard let entries else { return nil }
        self.init(
            ConversationID(conversation), oldestMessage: MessageID(oldest), entries: entries,
            staleSince: stale == 0 ? nil : Int64(stale))
    }
}

extension CoveredBanner {
    fileprivate init?(from decoder: inout ByteDecoder) {
        guard let conversation = decoder.takeText(), let seq = decoder.take() else { return nil }
        self.init(conversation: ConversationID(conversation), seq: Int64(seq))
    }
}

extension User {
    /// What is to be stored of it; forgets what counts no more.
    package mutating func pushRecord(at now: Moment) -> PushRecord {
        var record = PushRecord()
        record.devices.reserveCapacity(devices.count)
        for index in devices.indices {
            let wakes =
                devices[index].wakes.spent.isEmpty ? [] : devices[index].wakes.stored(at: now)
            if devices[index].record.isEmpty && wakes.isEmpty { continue }
            record.devices.append(
                PushRecord.Remembered(key: devices[index].key, record: devices[index].record))
            if !wakes.isEmpty { record.devices[record.devices.count - 1].record.wakes = wakes }
        }
        if record.devices.count > 1 { record.devices.sort { $0.key.raw < $1.key.raw } }
        record.rate = rateRecord(at: now)
        return record
    }

    /// Takes up what was stored.
    ///
    /// - Precondition: nothing has happened to the user since it was loaded.
    package mutating func adopt(_ record: PushRecord, isOwed: Bool, at now: Moment) {
        self.isOwed = isOwed
        adopt(record.rate, at: now)
        for index in devices.indices {
            guard let stored = record[devices[index].key] else { continue }
            devices[index].record = stored
            devices[index].record.wakes = []
            devices[index].wakes = WakeBudget(stored.wakes, at: now)
        }
    }
}
