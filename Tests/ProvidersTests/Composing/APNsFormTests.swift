import Domain
import Testing

@testable import Providers

struct APNsFormTests {
    private static let alert = Drafts().alert

    private static func cover(_ rendered: AlertDraft?, mayExpireAtOnce: Bool = false) -> PushDraft.Content {
        .cover(
            CoverDraft(
                conversation: ConversationID("c-1"), clear: [], oldestMessage: MessageID("m-0"),
                rendered: rendered, mayExpireAtOnce: mayExpireAtOnce))
    }

    @Test(arguments: [
        (PushDraft.Content.alert(alert), "alert", "10"), (.wake(alert), "background", "5"),
        (.badge, "alert", "5"), (cover(nil), "alert", "5"), (cover(alert), "alert", "5"),
    ])
    func `each push says what it is`(content: PushDraft.Content, type: String, priority: String) {
        let form = APNsForm(Drafts().draft(content))
        #expect(form.pushType == type && form.priority == priority)
        #expect(form.topic("com.example.app") == "com.example.app")
        #expect(form.maximumByteCount == 4_096)
    }

    @Test func `only a cover that would push an alert out of the store is not stored`() {
        let expiry = Int(Drafts.expiry.milliseconds / 1_000)
        func expiration(_ content: PushDraft.Content) -> Int {
            APNsForm.expiration(Drafts().draft(content))
        }
        #expect(expiration(.alert(Self.alert)) == expiry)
        #expect(expiration(.badge) == expiry)
        #expect(expiration(Self.cover(nil)) == expiry)
        #expect(expiration(Self.cover(nil, mayExpireAtOnce: true)) == 0)
    }
}
