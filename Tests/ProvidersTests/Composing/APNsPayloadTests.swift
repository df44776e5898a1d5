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
            drafts.apnsBody(drafts.draft))
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
                drafts.apnsBody(drafts.draft))
            #expect(body.count <= 4_096 && body.count > 4_096 - 9)
            #expect(Drafts.read(body)?[path: "aps", "alert", "body"]?.string?.hasSuffix("…") == true)
        }
    }

    @Test func `data that alone passes the limit is left out rather than the push`() throws {
        let long = String(repeating: "a", count: 5_000)
        let drafts = Drafts(notification: #"{"body":"Hi","category":"C","data":{"a":"\#(long)"}}"#)
        let payload = try #require(drafts.apns())
        #expect(payload["a"] == nil)
        #expect(payload[path: "aps", "alert", "body"]?.string == "Hi")
        #expect(payload[path: "aps", "category"]?.string == "C")
    }

    @Test func `a token of several accounts gets no badge and the number beside it`() throws {
        let payload = try #require(Drafts(isTokenShared: true).apns())
        #expect(payload[path: "aps", "badge"] == nil)
        #expect(payload[path: "aps", "mutable-content"]?.integer == 1)
        #expect(payload[path: "rouse", "badge"]?.integer == 3)
    }
}
