import Domain
import Testing
import Wire

@testable import Providers

struct CallPushTests {
    private func call(name: String? = "Alice", data: String = #"{"room":5}"#) -> CallDraft {
        CallDraft(
            callID: CallID("call-1"), callerUser: UserID("alice"), callerName: name, isVideo: true,
            conversation: ConversationID("c-1"), data: Array(data.utf8),
            expiresAt: WallTime(milliseconds: Drafts.expiry.milliseconds - 3_000))
    }

    private func voip(_ call: CallDraft) -> [UInt8]? {
        let drafts = Drafts(transport: .apnsVoIP)
        return drafts.apnsBody(drafts.draft(.call(call)))
    }

    @Test func `a VoIP push is a call and nothing else`() throws {
        #expect(
            String(decoding: try #require(voip(call())), as: UTF8.self)
                == #"{"aps":{},"rouse":{"kind":"call","call_id":"call-1","caller":{"user":"alice","#
                + #""name":"Alice"},"video":true,"conversation_id":"c-1","#
                + #""expires_at":"2030-03-17T17:46:37.000Z"},"room":5}"#)
    }

    @Test func `FCM rings with high priority for as long as the call lasts`() throws {
        let message = try #require(Drafts().fcm(.call(call()), .notification))
        #expect(message["android"]?.text == #"{"priority":"HIGH","ttl":"7s"}"#)
        #expect(
            message["data"]?.text
                == #"{"rouse_kind":"call","rouse_call_id":"call-1","rouse_caller_user":"alice","#
                + #""rouse_caller_name":"Alice","rouse_video":"true","rouse_conversation_id":"c-1","#
                + #""rouse_expires_at":"2030-03-17T17:46:37.000Z","room":"5"}"#)
    }

    @Test func `FCM stops the ringing with high priority`() throws {
        let end = CallEndDraft(callID: CallID("call-1"), reason: "answered_elsewhere")
        let message = try #require(Drafts().fcm(.callCancelled(end), .notification))
        #expect(message["android"]?.text == #"{"priority":"HIGH","ttl":"10s"}"#)
        #expect(message["notification"] == nil)
        #expect(
            message["data"]?.text
                == #"{"rouse_kind":"call_cancelled","rouse_call_id":"call-1","#
                + #""rouse_reason":"answered_elsewhere"}"#)
    }

    @Test func `a call rings whatever it was given`() throws {
        let long = String(repeating: "👩‍👩‍👧", count: 1_000)
        let named = try #require(voip(call(name: long)))
        #expect(named.count <= 5_120 && named.count > 5_000)
        let name = try #require(Drafts.read(named)?[path: "rouse", "caller", "name"]?.string)
        #expect(long.hasPrefix(name.dropLast()) && name.hasSuffix("…"))
        let laden = try #require(voip(call(data: #"{"a":"\#(String(repeating: "a", count: 5_200))"}"#)))
        #expect(Drafts.read(laden)?[path: "rouse", "caller", "name"]?.string == "Alice")
        #expect(Drafts.read(laden)?["a"] == nil)
        #expect(Drafts().fcm(.call(call(name: long, data: #"{"a":"\#(long)"}"#))) != nil)
    }

    @Test func `a VoIP push goes to its own topic and is tried once`() {
        let draft = Drafts(transport: .apnsVoIP).draft(.call(call()))
        #expect(APNsForm(draft) == .voip)
        #expect(APNsForm.voip.topic("com.example.app") == "com.example.app.voip")
        #expect(APNsForm.expiration(draft) == 0)
    }
}
