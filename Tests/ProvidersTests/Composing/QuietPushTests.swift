import Domain
import Testing
import Wire

@testable import Providers

/// Covers, badges and silent wakes: what rings nobody.
struct QuietPushTests {
    private static let key = String(repeating: "k", count: 32)

    private func cover(
        _ clear: [String] = ["c-1", "c-2"], rendered: AlertDraft? = nil
    ) -> PushDraft.Content {
        .cover(
            CoverDraft(
                conversation: ConversationID("c-1"), clear: clear.map { ConversationID($0) },
                oldestMessage: MessageID("m-0"), rendered: rendered))
    }

    @Test func `a cover carries the badge and what to clear and nothing to show`() throws {
        let drafts = Drafts(badge: 0)
        let ids = Drafts.identity(drafts.draft(cover())).cleared.map { String(decoding: $0, as: UTF8.self) }
        #expect(
            try #require(drafts.apns(cover())).text
                == #"{"aps":{"badge":0,"content-available":1},"rouse":{"kind":"cover","badge":0,"#
                + #""badge_revision":130,"clear":["\#(ids[0])","\#(ids[1])"]}}"#)
    }

    @Test func `what stays unread is rendered anew without a sound`() throws {
        let drafts = Drafts(notification: #"{"body":"Hi","sound":"ping","category":"MSG","data":{"a":1}}"#)
        let payload = try #require(drafts.apns(cover(["c-2"], rendered: drafts.alert)))
        #expect(
            payload["aps"]?.text
                == #"{"alert":{"title":"Alice","body":"Hi"},"badge":3,"interruption-level":"passive","#
                + #""thread-id":"\#(Self.key)","category":"MSG","mutable-content":1,"content-available":1}"#)
        #expect(payload[path: "rouse", "kind"]?.string == "cover")
        #expect(payload[path: "rouse", "message_id"]?.string == "m-1")
        #expect(payload[path: "rouse", "clear"]?.elements.map(\.kind) == [.string])
        #expect(payload["a"]?.integer == 1)
    }

    @Test func `a badge is a cover that clears nothing`() throws {
        #expect(
            try #require(Drafts(badge: 0).apns(.badge)).text
                == #"{"aps":{"badge":0,"content-available":1},"rouse":{"kind":"badge","badge":0,"#
                + #""badge_revision":130}}"#)
    }

    @Test func `a wake says nothing on the screen`() throws {
        let drafts = Drafts(notification: #"{"body":"Hi","sound":"ping","wake":true,"data":{"a":1}}"#)
        let payload = try #require(drafts.apns(.wake(drafts.alert)))
        #expect(payload["aps"]?.text == #"{"content-available":1}"#)
        #expect(payload[path: "rouse", "kind"]?.string == "wake")
        #expect(payload[path: "rouse", "mailbox_seq"]?.integer == 121)
        #expect(payload["a"]?.integer == 1)
        #expect(!payload.text.contains("Hi"))
    }

    @Test func `a token of several accounts is told its number aside`() throws {
        let drafts = Drafts(isTokenShared: true)
        for content in [cover(), .badge] {
            let payload = try #require(drafts.apns(content))
            #expect(payload["aps"]?.text == #"{"content-available":1}"#)
            #expect(payload[path: "rouse", "badge"]?.integer == 3)
            #expect(APNsForm(drafts.draft(content)) == .background)
        }
        let anew = try #require(drafts.apns(cover(rendered: drafts.alert)))
        #expect(anew[path: "aps", "badge"] == nil)
        #expect(anew[path: "aps", "mutable-content"]?.integer == 1)
        #expect(APNsForm(drafts.draft(cover(rendered: drafts.alert))) == .quiet)
    }

    @Test func `every id to clear finds room even beside the longest alert`() throws {
        let clear = (0..<CoverDraft.maximumCleared).map { "c-\($0)" }
        let long = String(repeating: "é\n", count: 4_000)
        var drafts = Drafts(
            name: String(repeating: "n", count: 1_000), notification: #"{"body":"x","data":{"a":1}}"#)
        drafts.notification = #"{"body":"\#(long.replacing("\n", with: "\\n"))","data":{"a":"\#(Self.key)"}}"#
        let body = try #require(drafts.apnsBody(drafts.draft(cover(clear, rendered: drafts.alert))))
        #expect(body.count <= 4_096)
        let payload = try #require(Drafts.read(body))
        #expect(payload[path: "rouse", "clear"]?.elements.map(\.kind).count == clear.count)
        let data = try #require(drafts.fcm(cover(clear, rendered: drafts.alert))?["data"])
        #expect(data["rouse_clear"]?.string?.split(separator: ",").count == clear.count)
    }

    @Test func `FCM gets what rings nobody as data alone with normal priority`() throws {
        let drafts = Drafts(badge: 0)
        for content in [cover(), .badge, .wake(drafts.alert), cover(rendered: drafts.alert)] {
            let message = try #require(drafts.fcm(content, .notification))
            #expect(message["android"]?.text == #"{"priority":"NORMAL","ttl":"10s"}"#)
            #expect(message[path: "data", "rouse_tag"]?.string == Self.key)
            #expect(message[path: "data", "rouse_badge"]?.string == "0")
        }
        let anew = try #require(drafts.fcm(cover(rendered: drafts.alert))?["data"])
        #expect(anew["rouse_kind"]?.string == "cover")
        #expect(anew["rouse_title"]?.string == "Alice")
        #expect(anew["rouse_body"]?.string == "See you at 8")
        #expect(anew["rouse_interruption_level"]?.string == "passive")
        #expect(anew["rouse_clear"]?.string?.split(separator: ",").map(\.count) == [32, 32])
        #expect(try #require(drafts.fcm(.wake(drafts.alert))?["data"])["rouse_body"] == nil)
    }

    @Test func `of an encrypted conversation a cover and a wake tell no more than an alert`() throws {
        var drafts = Drafts(name: "Team", isEndToEndEncrypted: true)
        drafts.notification = #"{"body":"secret","data":{"a":"secret"},"category":"secret"}"#
        for content in [PushDraft.Content.wake(drafts.alert), cover(rendered: drafts.alert)] {
            for text in [try #require(drafts.apns(content)).text, try #require(drafts.fcm(content)).text] {
                #expect(!text.contains("secret") && !text.contains("m-1") && !text.contains("c-1"))
                #expect(!text.contains("chat-") && !text.contains("alice"))
            }
        }
    }
}
