import Domain
import Testing
import Wire

@testable import Providers

struct APNsPayloadTests {
    @Test func `an alert is spelled as the interface says`() throws {
        var drafts = Drafts()
        drafts.notification =
            #"{"body":"Hi \"Bob\" é","sound":"ping","category":"MSG","data":{"a":{"b":[1]},"aps":1}}"#
        let body = try #require(
            APNsPayload.body(
                drafts.draft, drafts.alert, drafts.content, collapseID: drafts.collapseID, phrases: .english))
        let collapseID = String(repeating: "k", count: 32)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"aps":{"alert":{"title":"Alice","body":"Hi \"Bob\" é"},"badge":3,"sound":"ping","#
                + #""thread-id":"\#(collapseID)","category":"MSG","mutable-content":1},"#
                + #""rouse":{"kind":"alert","conversation_id":"c-1","message_id":"m-1","mailbox_seq":121,"#
                + #""count":1,"badge":3,"badge_revision":130,"reason":"chat-message"},"a":{"b":[1]}}"#)
    }

    @Test func `localisation keys pass through`() throws {
        var drafts = Drafts()
        drafts.notification =
            #"{"title_loc_key":"T","title_loc_args":["x"],"body_loc_key":"B","body_loc_args":["y","z"]}"#
        let alert = try #require(drafts.apns()?[path: "aps", "alert"])
        #expect(
            alert.text
                == #"{"title-loc-key":"T","title-loc-args":["x"],"loc-key":"B","loc-args":["y","z"]}"#)
    }

    @Test func `an alert never carries badge 0`() throws {
        let payload = try #require(Drafts(badge: 0).apns())
        #expect(payload[path: "aps", "badge"] == nil)
        #expect(payload[path: "rouse", "badge"]?.integer == 0)
    }

    @Test func `no sound stays no sound and a missing one is the default`() {
        #expect(Drafts().apns()?[path: "aps", "sound"]?.string == "default")
        #expect(Drafts(notification: #"{"sound":null}"#).apns()?[path: "aps", "sound"] == nil)
    }

    @Test func `of an encrypted message nothing but its place is told`() throws {
        var drafts = Drafts(isEndToEndEncrypted: true)
        drafts.notification = #"{"body":"secret","data":{"a":"secret"},"category":"secret"}"#
        let payload = try #require(drafts.apns())
        #expect(!payload.text.contains("secret"))
        #expect(
            payload["rouse"]?.text
                == #"{"kind":"alert","mailbox_seq":121,"badge":3,"badge_revision":130}"#)
        #expect(payload[path: "aps", "mutable-content"]?.integer == 1)
    }

    @Test func `a long text is cut to exactly the limit`() throws {
        for filler in ["a", "é", "\\\"", "👍🏽"] {
            let long = String(repeating: filler, count: 6_000)
            let drafts = Drafts(notification: #"{"body":"\#(long)"}"#)
            let body = try #require(
                APNsPayload.body(
                    drafts.draft, drafts.alert, drafts.content, collapseID: drafts.collapseID,
                    phrases: .english))
            #expect(body.count <= 4_096 && body.count > 4_096 - 9)
            #expect(Drafts.read(body)?[path: "aps", "alert", "body"]?.string?.hasSuffix("…") == true)
        }
    }

    @Test func `data that alone passes the limit has no body`() {
        let long = String(repeating: "a", count: 5_000)
        #expect(Drafts(notification: #"{"data":{"a":"\#(long)"}}"#).apns() == nil)
    }
}

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
            #expect(message.text.utf8.count <= 4_096)
        }
    }
}
