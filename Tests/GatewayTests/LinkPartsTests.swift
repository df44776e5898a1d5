import Domain
import Testing

@testable import Gateway

@Suite("Parts of a link")
struct LinkPartsTests {
    private func entries(_ seqs: ClosedRange<Int64>) -> [MailboxEntry] {
        seqs.map {
            MailboxEntry(
                seq: $0, materialisedAt: WallTime(milliseconds: 0),
                change: .read(ConversationID("c"), through: 0, by: nil))
        }
    }

    @Test func `a cursor writes nothing twice and leaves no gap`() {
        var cursor = ReplayCursor(after: 2, isLive: false)
        #expect(cursor.wantsPage)
        cursor.pulled()
        #expect(!cursor.wantsPage)
        #expect(cursor.take(live: entries(6...6)).isEmpty)
        #expect(cursor.take(page: entries(3...5), isLast: false).map(\.seq) == [3, 4, 5])
        #expect(cursor.wantsPage)
        #expect(cursor.take(page: entries(5...6), isLast: true).map(\.seq) == [6])
        #expect(!cursor.wantsPage && cursor.isLive)
        #expect(cursor.take(live: entries(6...8)).map(\.seq) == [7, 8])
    }

    @Test func `a gap in what comes live is pulled`() {
        var cursor = ReplayCursor(after: 0, isLive: true)
        #expect(cursor.take(live: entries(2...3)).isEmpty)
        #expect(cursor.wantsPage && cursor.writtenSeq == 0)
    }

    @Test func `after a lost place the cursor pulls again`() {
        var cursor = ReplayCursor(after: 4, isLive: false)
        cursor.pulled()
        cursor.restart()
        #expect(cursor.wantsPage && cursor.writtenSeq == 4)
    }

    @Test func `evidence is of whole entries that the kernel took`() {
        var evidence = PushedEvidence()
        evidence.written(1, endingAt: 100)
        evidence.written(2, endingAt: 200)
        evidence.written(3, endingAt: 300)
        #expect(evidence.taken(through: 99) == nil)
        #expect(evidence.taken(through: 250) == 2)
        #expect(evidence.taken(through: 250) == nil)
        #expect(evidence.taken(through: 300) == 3)
    }

    @Test func `a client may say so much and no more`() {
        var budget = FrameBudget()
        let now = Instant(milliseconds: 5_000)
        let taken = [0, 0, 999, 1_000].map { budget.take(at: now + $0, atMost: 2) }
        #expect(taken == [true, true, false, true])
        let heavy = [
            budget.take(at: now + 2_000, atMost: 9, weight: 5), budget.take(at: now + 2_000, atMost: 9),
        ]
        #expect(heavy == [true, true])
        let tooMuch = budget.take(at: now + 2_001, atMost: 9, weight: 5)
        #expect(!tooMuch)
        let unusable = [budget.takeUnusable(atMost: 1), budget.takeUnusable(atMost: 1)]
        #expect(unusable == [true, false])
    }

    @Test func `a page is smaller where entries are large`() {
        var size = PageSize()
        #expect(size.entries == PageSize.first)
        size.wrote(entries: 32, bytes: 32 * 60_000, atMost: 200)
        #expect(size.entries == 2)
        size.wrote(entries: 2, bytes: 2 * 200, atMost: 200)
        #expect(size.entries == 200)
        size.wrote(entries: 0, bytes: 0, atMost: 200)
        size.wrote(entries: 1, bytes: 300_000, atMost: 200)
        #expect(size.entries == 1)
    }

    static let faults: [(String, String)] = [
        ("", "malformed_json"), ("[]", "missing_field"), ("{}", "missing_field"),
        (#"{"type":"HELLO"}"#, "unknown_type"), (#"{"type":"APPLIED"}"#, "missing_field"),
        (#"{"type":"APPLIED","mailbox_seq":"3"}"#, "wrong_type"),
        (#"{"type":"APPLIED","mailbox_seq":-1}"#, "invalid_value"),
        (#"{"type":"APPLIED","mailbox_seq":1.5}"#, "invalid_value"),
        (#"{"type":"APPLIED","mailbox_seq":1,"x":1}"#, "unknown_field"),
        (#"{"type":"READ","mailbox_seq":1}"#, "missing_field"),
        (#"{"type":"READ","conversation_id":"","mailbox_seq":1}"#, "invalid_value"),
        (#"{"type":"AUTH","token":1}"#, "wrong_type"), (#"{"type":"AUTH","from":"tail"}"#, "invalid_value"),
        (#"{"type":"AUTH","from":"head","applied_seq":3}"#, "invalid_value"),
        (#"{"type":"AUTH","mailbox_id":7}"#, "wrong_type"),
    ]

    @Test(arguments: faults)
    func `a frame that cannot be used is named`(_ text: String, _ code: String) {
        do throws(ClientFrame.Fault) {
            _ = try ClientFrame(parsing: Array(text.utf8))
            #expect(Bool(false))
        } catch {
            #expect(error.code == code)
        }
    }

    @Test func `a strange mailbox's name is another mailbox`() throws {
        guard
            case .authenticate(let frame) = try ClientFrame(
                parsing: Array(#"{"type":"AUTH","mailbox_id":"x","applied_seq":7}"#.utf8))
        else { return #expect(Bool(false)) }
        #expect(frame.resume == .after(7, of: MailboxID(bytes: Array(repeating: 0, count: 16))))
    }
}
