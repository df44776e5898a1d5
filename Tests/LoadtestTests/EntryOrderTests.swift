import Testing
import Wire

@testable import RouseLoadtest

@Suite struct EntryOrderTests {
    /// What is found in the seqs of one connection that begins above `applied`.
    private func violations(_ seqs: [Int64], above applied: Int64 = 0) -> [EntryOrder.Violation] {
        var order = EntryOrder()
        let begun = order.begin(
            appliedSeq: applied, isFromHead: false, head: 0, firstSeq: 1, isTruncated: false)
        return [begun].compactMap(\.self) + seqs.compactMap { order.take($0) }
    }

    @Test func `entries one by one above what is applied are in order`() {
        #expect(violations([1, 2, 3]) == [])
        #expect(violations([8, 9], above: 7) == [])
    }

    @Test func `an entry left out is a gap, once`() {
        #expect(violations([1, 3, 4]) == [.gap(expected: 2, got: 3)])
        #expect(violations([9], above: 7) == [.gap(expected: 8, got: 9)])
    }

    @Test func `an entry that comes twice over a connection is a repeat`() {
        #expect(violations([1, 2, 2, 3]) == [.repeated(2, expected: 3)])
    }

    @Test func `an entry below what is applied is a repeat`() {
        #expect(violations([7, 8], above: 7) == [.repeated(7, expected: 8)])
    }

    @Test func `an entry after a later one is out of order`() {
        #expect(violations([2, 1, 3]) == [.gap(expected: 1, got: 2), .outOfOrder(1, expected: 3)])
    }

    @Test func `an entry without AUTH_OK is found`() {
        var order = EntryOrder()
        #expect(order.take(1) == .unwelcomed(1))
        _ = order.begin(appliedSeq: 0, isFromHead: false, head: 1, firstSeq: 1, isTruncated: false)
        order.end()
        #expect(order.take(1) == .unwelcomed(1))
    }

    @Test func `what is not applied comes again over the next connection`() {
        var order = EntryOrder()
        for _ in 0..<2 {
            let begun = order.begin(
                appliedSeq: 0, isFromHead: false, head: 2, firstSeq: 1, isTruncated: false)
            #expect(begun == nil)
            #expect([order.take(1), order.take(2)] == [nil, nil])
        }
        #expect(order.lastSeq == 2)
    }

    @Test func `a head below what was received is another mailbox`() {
        var order = EntryOrder()
        _ = order.begin(appliedSeq: 4, isFromHead: false, head: 5, firstSeq: 1, isTruncated: false)
        _ = order.take(5)
        let again = order.begin(appliedSeq: 4, isFromHead: false, head: 4, firstSeq: 1, isTruncated: false)
        #expect(again == .headBelow(4, received: 5))
    }

    @Test func `a device begins at the head, or at the first that is kept`() {
        var order = EntryOrder()
        _ = order.begin(appliedSeq: 0, isFromHead: true, head: 5, firstSeq: 1, isTruncated: false)
        #expect(order.take(6) == nil)
        _ = order.begin(appliedSeq: 2, isFromHead: false, head: 9, firstSeq: 5, isTruncated: true)
        #expect([order.take(5), order.take(6)] == [nil, nil])
    }
}

@Suite struct DeviceObservationTests {
    private func welcome(_ mailbox: UInt64 = 1, head: Int64 = 0) throws -> WelcomeFrame {
        let json = """
            {"connection":"c","mailbox_id":"\(UUIDBytes(high: mailbox, low: 0).text)","mailbox_seq":\(head),
             "first_mailbox_seq":1,"truncated":false}
            """
        return try #require(WelcomeFrame(JSONDocument(parsing: Array(json.utf8)).root))
    }

    @Test func `an acknowledgement marks each entry up to it, once`() throws {
        var seen = DeviceObservation()
        seen.welcomed(try welcome(), isFromHead: false, at: 1)
        for seq in 1...3 {
            seen.received(Int64(seq), keeping: SeenEntry(message: Int32(seq), receivedAt: 5))
        }
        seen.applied(2, at: 7)
        seen.applied(3, at: 9)
        #expect((1...3).map { seen[$0]?.appliedAt } == [7, 7, 9])
        #expect(seen[4] == nil)
        #expect(seen.violations == [])
    }

    @Test func `another mailbox is found, and forgets what was applied`() throws {
        var seen = DeviceObservation()
        seen.welcomed(try welcome(1), isFromHead: false, at: 1)
        seen.received(1, keeping: nil)
        seen.applied(1, at: 2)
        seen.welcomed(try welcome(2), isFromHead: false, at: 3)
        #expect(seen.violations == ["wrong mailbox: it has another id than before"])
        #expect(seen.appliedSeq == 0)
    }

    @Test func `an entry that became another message is found`() throws {
        var seen = DeviceObservation()
        for message: Int32 in [4, 5] {
            seen.welcomed(try welcome(head: 1), isFromHead: false, at: 1)
            seen.received(1, keeping: SeenEntry(message: message, receivedAt: 2))
        }
        #expect(seen.violations == ["changed: entry 1 was message 4, now it is 5"])
    }

    @Test func `an absence lasts until the next AUTH_OK`() throws {
        var seen = DeviceObservation()
        seen.welcomed(try welcome(), isFromHead: false, at: 1)
        seen.ended(1_006, at: 5, keepsAbsence: true)
        #expect(seen.absences == [Absence(from: 5, until: .max)])
        seen.welcomed(try welcome(head: 3), isFromHead: false, at: 9)
        #expect(seen.absences == [Absence(from: 5, until: 9, head: 3)])
    }

    @Test func `an older badge after a newer one is found`() {
        var seen = DeviceObservation()
        seen.showed(ShownBadge(unread: 2, projectionSeq: 4))
        seen.showed(ShownBadge(unread: 1, projectionSeq: 3))
        #expect(seen.violationCount == 1)
    }
}

@Suite struct FleetOrderTests {
    @Test func `orders are read with their devices`() {
        #expect(
            FleetOrder.parse("drop reset 50 @3-5")
                == .init(order: .drop(.reset, returningWithinMilliseconds: 50), devices: 3..<6))
        #expect(FleetOrder.parse("apply 7 @2") == .init(order: .apply(through: 7), devices: 2..<3))
        #expect(FleetOrder.parse("behave batch:4") == .init(order: .behave(.batches(of: 4)), devices: nil))
        #expect(
            FleetOrder.parse(#"send {"type":"READ"} @1"#)
                == .init(order: .send(#"{"type":"READ"} @1"#), devices: nil))
    }

    @Test(arguments: ["", "drop", "drop softly", "apply x", "apply 1 @5-3", "behave batch:0", "connect -1"])
    func `what is no order is refused`(line: String) { #expect(FleetOrder.parse(line) == nil) }
}
