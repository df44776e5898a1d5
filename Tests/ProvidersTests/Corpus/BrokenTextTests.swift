import Domain
import Testing
import Wire

@testable import Providers

/// What cannot be a text at all.
struct BrokenTextTests {
    @Test(arguments: [#""\ud83d""#, #""\ude00\ud83d""#, #""a\ud83dz""#])
    func `half a character is refused and shows nothing of it`(text: String) {
        let content = NotificationContent(parsing: Array(#"{"body":\#(text)}"#.utf8))
        #expect(content == NotificationContent())
    }

    @Test func `bytes that are no UTF-8 show nothing`() {
        let content = NotificationContent(
            parsing: Array(#"{"body":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8))
        #expect(content == NotificationContent())
    }

    @Test func `one character longer than the limit leaves only the sign of it`() throws {
        let zalgo = "a" + String(repeating: "\\u0301", count: 6_000)
        let payload = try #require(Drafts(notification: #"{"body":"\#(zalgo)"}"#).apns())
        #expect(payload[path: "aps", "alert", "body"]?.string == "…")
        #expect(payload[path: "aps", "alert", "title"]?.string == "Alice")
    }

    @Test func `an overlong title leaves room for the body`() throws {
        let long = String(repeating: "t", count: 9_000)
        let payload = try #require(Drafts(notification: #"{"title":"\#(long)","body":"\#(long)"}"#).apns())
        #expect(payload[path: "aps", "alert", "title"]?.string?.utf8.count == 256)
        #expect((payload[path: "aps", "alert", "body"]?.string?.utf8.count ?? 0) > 3_000)
    }

    @Test func `empty words count as missing`() throws {
        let payload = try #require(Drafts(senderName: "", notification: #"{"title":"","body":""}"#).apns())
        #expect(payload[path: "aps", "alert"]?.text == #"{"body":"New message"}"#)
    }
}
