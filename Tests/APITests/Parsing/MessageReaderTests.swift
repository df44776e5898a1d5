import Domain
import Engine
import Testing

@testable import API

@Suite("Reading a message")
struct MessageReaderTests {
    private static let whole = """
        {"message_id":"m-1","conversation":{"id":"c-1","kind":"group","name":"Team","member_count":12,
          "e2ee":false},
         "sender":{"user":"alice","name":"Alice","device":"a-phone"},"recipients":["bob","carol","bob"],
         "mentions":{"users":["bob"],"all":false},
         "notification":{"title":"Alice","body":"See you at 8", "image_url":"https://example.com/a.png",
          "wake":false,
          "title_loc_args":["x"],"data":{"k":[1,2]}},
         "payload":{ "text" : "See you" },"counts_unread":false,"push":true,"expires_in_s":86400,
         "sent_at":"2026-11-30T08:00:00Z"}
        """

    /// A good message with its members replaced or added.
    private static func message(_ changes: [(String, String)] = []) -> String {
        var members = [
            ("message_id", #""m-1""#), ("conversation", #"{"id":"c-1","kind":"direct"}"#),
            ("sender", #"{"user":"alice"}"#), ("recipients", #"["bob"]"#),
        ]
        for (key, value) in changes {
            if let index = members.firstIndex(where: { $0.0 == key }) {
                members[index].1 = value
            } else {
                members.append((key, value))
            }
        }
        return "{" + members.filter { !$0.1.isEmpty }.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
            + "}"
    }

    private func problem(_ text: String) -> Problem? {
        do throws(Problem) {
            _ = try MessageReader.message(parsing: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a whole message keeps what is shown as it came`() throws {
        let message = try MessageReader.message(parsing: Array(Self.whole.utf8))
        #expect(message.id == MessageID("m-1"))
        #expect(message.conversation.kind == .group)
        #expect(message.conversation.memberCount == 12)
        #expect(message.sender.device == DeviceID("a-phone"))
        #expect(message.recipients == [UserID("bob"), UserID("carol")])
        #expect(message.mentionedUsers == [UserID("bob")])
        #expect(!message.countsUnread)
        #expect(message.wantsPush)
        #expect(message.expiresInSeconds == 86_400)
        #expect(message.sentAt == WallTime(milliseconds: 1_796_025_600_000))
        #expect(String(decoding: message.payload, as: UTF8.self) == #"{ "text" : "See you" }"#)
        #expect(
            String(decoding: message.notification, as: UTF8.self).contains(#""body":"See you at 8", "image"#))
    }

    @Test func `the shortest message has the defaults`() throws {
        let message = try MessageReader.message(parsing: Array(Self.message().utf8))
        #expect(message.countsUnread && message.wantsPush && !message.wantsWake)
        #expect(message.notification.isEmpty && message.payload.isEmpty)
        #expect(message.conversation.memberCount == 2)
        #expect(message.sentAt == nil && message.expiresInSeconds == nil)
    }

    @Test(arguments: [("true", true), ("false", false), ("null", false)])
    func `a message may ask to wake silently`(text: String, isAsked: Bool) throws {
        let body = Self.message([("notification", #"{"wake":\#(text)}"#)])
        #expect(try MessageReader.message(parsing: Array(body.utf8)).wantsWake == isAsked)
    }

    static let refusals: [(String, ProblemCode)] = [
        ("", .malformedJSON), ("{", .malformedJSON), ("[]", .wrongType), ("null", .wrongType),
        ("{}x", .malformedJSON), ("{\"message_id\":\"a\",\"message_id\":\"b\"}", .malformedJSON),
        ("{\"message_id\":\"\\ud800\"}", .malformedJSON), ("{\"message_id\":01}", .malformedJSON),
        ("{}", .missingField), (message([("message_id", "")]), .missingField),
        (message([("message_id", "null")]), .missingField), (message([("message_id", "7")]), .wrongType),
        (message([("message_id", #""""#)]), .invalidValue),
        (message([("message_id", "\"\(String(repeating: "a", count: 129))\"")]), .invalidValue),
        (message([("message_id", #""a\u0000b""#)]), .invalidValue),
        (message([("message_id", #""a\u0085b""#)]), .invalidValue),
        (message([("sender", #"{"user":"a","name":"b\u0000"}"#)]), .invalidValue),
        (message([("conversation", #"{"id":"c","kind":"group","name":"\u0000"}"#)]), .invalidValue),
        (message([("typo", "1")]), .unknownField), (message([("typo", "null")]), .unknownField),
        (message([("conversation", "")]), .missingField), (message([("conversation", "[]")]), .wrongType),
        (message([("conversation", #"{"kind":"direct"}"#)]), .missingField),
        (message([("conversation", #"{"id":"c"}"#)]), .missingField),
        (message([("conversation", #"{"id":"c","kind":"room"}"#)]), .invalidValue),
        (message([("conversation", #"{"id":"c","kind":1}"#)]), .wrongType),
        (message([("conversation", #"{"id":"c","kind":"direct","members":3}"#)]), .unknownField),
        (message([("conversation", #"{"id":"c","kind":"group","member_count":1.5}"#)]), .invalidValue),
        (message([("conversation", #"{"id":"c","kind":"group","member_count":-1}"#)]), .invalidValue),
        (message([("conversation", #"{"id":"c","kind":"group","e2ee":"yes"}"#)]), .wrongType),
        (message([("sender", "")]), .missingField), (message([("sender", #""alice""#)]), .wrongType),
        (message([("sender", "{}")]), .missingField),
        (message([("sender", #"{"user":"a","mail":"x"}"#)]), .unknownField),
        (message([("recipients", "")]), .missingField), (message([("recipients", "[]")]), .invalidValue),
        (message([("recipients", #""bob""#)]), .wrongType), (message([("recipients", "[1]")]), .wrongType),
        (message([("recipients", #"[""]"#)]), .invalidValue),
        (message([("mentions", "[]")]), .wrongType),
        (message([("mentions", #"{"users":"bob"}"#)]), .wrongType),
        (message([("mentions", #"{"everyone":true}"#)]), .unknownField),
        (message([("mentions", #"{"all":1}"#)]), .wrongType),
        (message([("notification", #""hi""#)]), .wrongType),
        (message([("notification", #"{"titel":"x"}"#)]), .unknownField),
        (message([("notification", #"{"titel":null}"#)]), .unknownField),
        (message([("notification", #"{"title":1}"#)]), .wrongType),
        (message([("notification", #"{"title_loc_args":"x"}"#)]), .wrongType),
        (message([("notification", #"{"title_loc_args":[1]}"#)]), .wrongType),
        (message([("notification", #"{"wake":"no"}"#)]), .wrongType),
        (message([("notification", #"{"data":[]}"#)]), .wrongType),
        (message([("notification", #"{"image_url":"http://example.com/a"}"#)]), .invalidValue),
        (message([("notification", #"{"image_url":"https://"}"#)]), .invalidValue),
        (message([("notification", #"{"image_url":"https:///a"}"#)]), .invalidValue),
        (message([("notification", #"{"image_url":"https://a b"}"#)]), .invalidValue),
        (message([("counts_unread", "1")]), .wrongType), (message([("push", #""true""#)]), .wrongType),
        (message([("expires_in_s", #""60""#)]), .wrongType),
        (message([("expires_in_s", "0")]), .invalidValue),
        (message([("expires_in_s", "1e3")]), .invalidValue),
        (message([("expires_in_s", "2419201")]), .invalidValue),
        (message([("expires_in_s", "99999999999999999999")]), .invalidValue),
        (message([("sent_at", "5")]), .wrongType), (message([("sent_at", #""today""#)]), .invalidValue),
        (message([("sent_at", #""2026-02-30T00:00:00Z""#)]), .invalidValue),
    ]

    @Test(arguments: refusals)
    func `bad input is refused by name`(_ text: String, _ code: ProblemCode) {
        #expect(problem(text)?.code == code, "\(text)")
    }

    @Test func `bad UTF-8 is malformed`() {
        let bytes = Array(#"{"message_id":""#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8)
        #expect(throws: Problem.self) { try MessageReader.message(parsing: bytes) }
    }

    @Test func `an unknown field is named with its path and cut`() {
        let long = String(repeating: "x", count: 500)
        #expect(
            problem(Self.message([("sender", #"{"user":"a","mail":"x"}"#)]))?.detail
                == "sender.mail is not a field.")
        #expect((problem(Self.message([(long, "1")]))?.detail.utf8.count ?? 999) < 100)
    }

    @Test func `10,000 recipients pass and one more does not`() throws {
        func list(_ count: Int) -> String {
            "[" + (0..<count).map { "\"u\($0)\"" }.joined(separator: ",") + "]"
        }
        let most = Self.message([("recipients", list(10_000))])
        #expect(try MessageReader.message(parsing: Array(most.utf8)).recipients.count == 10_000)
        #expect(problem(Self.message([("recipients", list(10_001))]))?.code == .invalidValue)
    }

    @Test func `duplicates among many recipients are dropped`() throws {
        let users = (0..<50).map { "\"u\($0 % 20)\"" }.joined(separator: ",")
        let message = try MessageReader.message(
            parsing: Array(Self.message([("recipients", "[\(users)]")]).utf8))
        #expect(message.recipients.count == 20)
    }

    @Test func `a payload of 64 KiB passes and one byte more does not`() {
        func payload(_ bytes: Int) -> String { "\"" + String(repeating: "x", count: bytes - 2) + "\"" }
        #expect(problem(Self.message([("payload", payload(65_536))])) == nil)
        #expect(problem(Self.message([("payload", payload(65_537))]))?.code == .payloadTooLarge)
    }

    @Test func `data that would not fit into a push is refused, long text is not`() {
        func notification(_ key: String, _ bytes: Int) -> String {
            let filler = String(repeating: "x", count: bytes)
            return key == "data" ? #"{"data":{"k":"\#(filler)"}}"# : #"{"\#(key)":"\#(filler)"}"#
        }
        #expect(problem(Self.message([("notification", notification("data", 3_400))])) == nil)
        #expect(problem(Self.message([("notification", notification("data", 3_500))]))?.code == .dataTooLarge)
        #expect(problem(Self.message([("notification", notification("body", 10_000))])) == nil)
    }

    @Test func `ids are compared byte for byte and may hold any letter`() throws {
        let text = Self.message([("recipients", "[\"\u{e9}\",\"e\u{301}\",\"用户\"]")])
        #expect(try MessageReader.message(parsing: Array(text.utf8)).recipients.count == 3)
    }
}
