import Domain
import Testing
import Wire

@testable import Providers

struct FCMMessageTests {
    @Test func `the notification form draws by itself`() throws {
        let message = try #require(
            Drafts(notification: #"{"body":"Hi","data":{"n":5,"s":"t"}}"#).fcm(.notification))
        let tag = String(repeating: "k", count: 32)
        #expect(message["token"]?.string == "fcm-token")
        #expect(
            message["android"]?.text
                == #"{"priority":"HIGH","ttl":"10s","notification":{"title":"Alice","body":"Hi","#
                + #""tag":"\#(tag)","notification_count":3,"sound":"default"}}"#)
        #expect(
            message["data"]?.text
                == #"{"rouse_kind":"alert","rouse_conversation_id":"c-1","rouse_message_id":"m-1","#
                + #""rouse_mailbox_seq":"121","rouse_count":"1","rouse_badge":"3","#
                + #""rouse_badge_revision":"130","rouse_reason":"chat-message","rouse_tag":"\#(tag)","n":"5","s":"t"}"#
        )
    }

    @Test func `the data form leaves drawing to the app`() throws {
        let message = try #require(Drafts(mention: .user, count: 2).fcm(.data))
        #expect(message[path: "android", "notification"] == nil)
        #expect(message[path: "android", "priority"]?.string == "HIGH")
        #expect(message[path: "data", "rouse_title"]?.string == "Alice")
        #expect(message[path: "data", "rouse_body"]?.string == "See you at 8")
        #expect(message[path: "data", "rouse_subtitle"]?.string == "2 new messages")
        #expect(message[path: "data", "rouse_reason"]?.string == "chat-mention")
    }

    @Test func `a count of 0 is left out`() throws {
        let message = try #require(Drafts(badge: 0).fcm(.notification))
        #expect(message[path: "android", "notification", "notification_count"] == nil)
        #expect(message[path: "data", "rouse_badge"]?.string == "0")
    }

    @Test func `an encrypted message is drawn by the app in either form`() throws {
        let message = try #require(Drafts(isEndToEndEncrypted: true).fcm(.notification))
        #expect(message[path: "android", "notification"] == nil)
        #expect(message[path: "data", "rouse_body"]?.string == "New message")
        #expect(message[path: "data", "rouse_message_id"] == nil)
    }

    @Test func `members FCM refuses are left out`() throws {
        let notification =
            #"{"data":{"from":"x","google.a":"x","gcm.notification.b":"x","rouse_kind":"x","ok":"x"}}"#
        let data = try #require(Drafts(notification: notification).fcm(.data)?["data"])
        #expect(data.members.filter { $0.value.string == "x" }.map(\.key) == ["ok"])
    }

    @Test func `a long text is cut to the limit`() throws {
        let long = String(repeating: "é", count: 6_000)
        for form in [Policy.FCMForm.data, .notification] {
            let message = try #require(Drafts(notification: #"{"body":"\#(long)"}"#).fcm(form))
            let counted = [message["data"], message[path: "android", "notification"]].compactMap { $0 }
                .flatMap {
                    $0.members.map { $0.key.utf8.count + ($0.value.string ?? $0.value.text).utf8.count }
                }
                .reduce(0, +)
            #expect(counted <= 4_096 && counted > 4_000)
        }
    }
}
