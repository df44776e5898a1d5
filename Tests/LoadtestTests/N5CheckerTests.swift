import Testing
import Wire

@testable import RouseLoadtest

@Suite struct N5CheckerTests {
    /// Two messages before the death, one at it, one after; two held devices.
    private func sound() throws -> N5Checker.Evidence {
        var dead = N5Checker.Dead()
        dead.rounds = [[0, 1], [2], [3]]
        dead.pushes = [push(0), push(1), push(2, status: 410)]
        dead.status = DeviceStatus(isWakeable: false, transports: [], appliedSeq: 4)
        dead.pages.entries = (0..<4).map { entry($0) }
        dead.pages.head = 4
        dead.appliedSeq = 4
        dead.gateway = try device([0, 1, 2, 3])
        var evidence = N5Checker.Evidence()
        evidence.dead = [dead]
        evidence.held = [
            N5Checker.Held(user: 1, isApplied: true, pushes: []),
            N5Checker.Held(user: 2, isApplied: false, pushes: [push(9)]),
        ]
        evidence.appliedStatuses = [204]
        evidence.beyondHeadStatus = 422
        return evidence
    }

    private func push(_ message: Int, status: Int = 200) -> ReceivedPush {
        ReceivedPush(
            sequence: 0, token: "t", apnsID: "", messageID: RequestTemplate.messageID(message), mailboxSeq: 1,
            badge: nil, status: status)
    }

    private func entry(_ message: Int, seq: Int64? = nil) -> ServerFrame.Entry {
        ServerFrame.Entry(
            seq: seq ?? Int64(message) + 1, kind: "message", messageID: RequestTemplate.messageID(message),
            sentAt: nil)
    }

    private func device(_ messages: [Int]) throws -> DeviceObservation {
        let json = """
            {"connection":"c","mailbox_id":"\(UUIDBytes(high: 1, low: 0).text)","mailbox_seq":4,
             "first_mailbox_seq":1,"truncated":false}
            """
        var seen = DeviceObservation()
        let root = try JSONDocument(parsing: Array(json.utf8)).root
        seen.welcomed(try #require(WelcomeFrame(root)), isFromHead: false, at: 1)
        for (index, message) in messages.enumerated() {
            seen.received(
                Int64(index) + 1, keeping: SeenEntry(message: Int32(message), receivedAt: 2))
        }
        return seen
    }

    private func findings(_ change: (inout N5Checker.Evidence) throws -> Void) throws -> [String] {
        var evidence = try sound()
        try change(&evidence)
        return N5Checker.findings(evidence).sentences
    }

    @Test func `a token that went, and a sync that brought all, holds`() throws {
        #expect(try findings { _ in } == [])
    }

    @Test func `a token that stayed is found`() throws {
        let found = try findings {
            $0.dead[0].status = DeviceStatus(isWakeable: true, transports: ["apns"], appliedSeq: 4)
        }
        #expect(
            found == [
                "a device with a dead token is still wakeable: u-000000",
                "a dead token is still there: u-000000: apns",
            ])
        #expect(try findings { $0.dead[0].status = nil } == ["a device went with its token: u-000000"])
    }

    @Test func `a push after the death, or none before it, is found`() throws {
        #expect(
            try findings { $0.dead[0].pushes.append(push(3)) } == [
                "a message after the token's death was pushed: m-0000000003 of u-000000: accepted 1, refused 0"
            ])
        #expect(try findings { $0.dead[0].pushes.removeFirst() }.count == 1)
        #expect(try findings { $0.dead[0].pushes.append(push(2, status: 410)) }.count == 1)
    }

    @Test func `a later task is found`() throws {
        #expect(
            try findings { $0.laterTasks = 1 } == [
                "tasks for devices without a token, by the answers: 1 instead of 0"
            ])
        #expect(try findings { $0.laterTasksMade = 1 }.count == 1)
        #expect(try findings { $0.openTasks = 1 } == ["tasks still open: 1 instead of 0"])
    }

    @Test func `a message that the sync leaves out is found`() throws {
        let pages = try findings { $0.dead[0].pages.entries.remove(at: 1) }
        #expect(pages.contains("the mailbox call leaves out or repeats a seq: u-000000: [1, 3, 4]"))
        let gateway = try findings { $0.dead[0].gateway = try device([0, 1, 3]) }
        #expect(
            gateway.contains(
                "the gateway does not tell every message, in its order: u-000000: [0, 1, 3], "
                    + "sent were [[0, 1], [2], [3]]"))
    }

    @Test func `two ways that tell another order are found`() throws {
        let found = try findings {
            $0.dead[0].pages.entries[0] = entry(1, seq: 1)
            $0.dead[0].pages.entries[1] = entry(0, seq: 2)
        }
        #expect(found == ["the gateway and the mailbox call tell another order: u-000000"])
    }

    @Test func `an acknowledgement that was not kept is found`() throws {
        #expect(
            try findings { $0.dead[0].appliedSeq = 3 } == [
                "an acknowledgement was not kept: u-000000: 3, the head is 4"
            ])
        #expect(try findings { $0.appliedStatuses.append(500) }.count == 1)
        #expect(try findings { $0.beyondHeadStatus = 204 }.count == 1)
    }

    @Test func `a hold that HTTP should have ended is found, and one that should have fallen due`() throws {
        #expect(
            try findings { $0.held[0].pushes = [push(9)] } == [
                "a message acknowledged by HTTP was pushed: m-0000000009 of u-000001"
            ])
        #expect(
            try findings { $0.held[1].pushes = [] } == [
                "a message never acknowledged was not pushed once: u-000002: 0"
            ])
    }

    @Test func `pages are held to their limit`() throws {
        func page(_ seqs: [Int], hasMore: Bool) throws -> JSONNode {
            let entries = seqs.map { #"{"mailbox_seq":\#($0),"kind":"message","message_id":"m-1"}"# }
            let text = """
                {"entries":[\(entries.joined(separator: ","))],"mailbox_seq":4,"has_more":\(hasMore)}
                """
            return try JSONDocument(parsing: Array(text.utf8)).root
        }
        var reading = MailboxReading()
        #expect(reading.take(try page([1, 2], hasMore: true), limit: 2))
        #expect(!reading.take(try page([3], hasMore: false), limit: 2))
        #expect(reading.faults == [])
        #expect(reading.take(try page([4, 5, 6], hasMore: true), limit: 2))
        #expect(reading.faults == ["page 3 has 3 entries, the limit is 2"])
        #expect(!reading.take(try page([], hasMore: true), limit: 2))
    }
}
