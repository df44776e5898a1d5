import Testing
import Wire

@testable import Rouse

@Suite struct FrameLineTests {
    @Test(arguments: [
        (
            #"{"type":"AUTH_OK","mailbox_seq":3,"total_unread":2,"total_mention":1,"muted_unread":0}"#,
            "online   mailbox at 3; unread 2, mentions 1, muted 0"
        ),
        (
            #"""
            {"type":"ENTRY","kind":"message","mailbox_seq":4,"message_id":"m","conversation_id":"c",
            "sender":"alice","mention_type":"user","notification":{"body":"Hi"}}
            """#,
            "entry    4 message m in c from alice (mentions user): Hi"
        ),
        (
            #"""
            {"type":"ENTRY","kind":"read","mailbox_seq":5,"conversation_id":"c","read_mailbox_seq":4}
            """#,
            "entry    5 read c through 4"
        ),
        (
            #"{"type":"SESSION_DELTA","conversations":[{"conversation_id":"c","unread":0}]}"#,
            "session  c unread 0"
        ),
        (#"{"type":"ERROR","code":"seq_beyond_head","detail":"9"}"#, "error    seq_beyond_head: 9"),
        (
            #"{"type":"CALL","call_id":"k","caller":{"user":"alice","name":"Alice"},"video":true}"#,
            "call     k from Alice"
        ),
        (
            #"{"type":"CALL","call_id":"k","caller":{"user":"alice","name":null},"video":true}"#,
            "call     k from alice"
        ),
        (
            #"{"type":"CALL_CANCELLED","call_id":"k","reason":"answered_elsewhere"}"#,
            "call     k is over: answered_elsewhere"
        ),
        (#"{"type":"NEWS"}"#, "frame    NEWS"),
    ])
    func `a frame is told in a line`(frame: String, line: String) throws {
        let node = try JSONDocument(parsing: Array(frame.utf8)).root
        #expect(FrameLine.text(node) == line)
    }

    @Test func `text from elsewhere cannot move the cursor`() {
        #expect(FrameLine.oneLine("a\u{1B}[2J\nb\u{7F}") == "a [2J b ")
    }
}
