import Domain
import Testing

@testable import Providers

struct AlertTextTests {
    private func text(_ drafts: Drafts) -> AlertText { AlertText(drafts.alert, drafts.content, .english) }

    @Test func `a direct conversation is titled by its sender`() {
        let text = text(Drafts())
        #expect(text.title == "Alice")
        #expect(text.body == "See you at 8")
    }

    @Test func `a group is titled by its name and its body says who wrote`() {
        let text = text(Drafts(kind: .group, name: "Team"))
        #expect(text.title == "Team")
        #expect(text.body == "Alice: See you at 8")
    }

    @Test func `a nameless group is titled by its sender`() {
        let text = text(Drafts(kind: .group))
        #expect(text.title == "Alice")
        #expect(text.body == "See you at 8")
    }

    @Test func `the backend's own title wins`() {
        let text = text(Drafts(kind: .group, name: "Team", notification: #"{"title":"Hey","body":"You"}"#))
        #expect(text.title == "Hey")
        #expect(text.body == "You")
    }

    @Test func `a missing body becomes new message`() {
        #expect(text(Drafts(notification: "")).body == "New message")
    }

    @Test func `several messages show their number`() {
        #expect(text(Drafts(count: 4)).body == "4 new messages")
    }

    @Test func `a mention keeps its text and has the number in the subtitle`() {
        let text = text(Drafts(mention: .user, count: 4))
        #expect(text.body == "See you at 8")
        #expect(text.subtitle == "4 new messages")
    }

    @Test func `an encrypted message tells the name of the conversation and nothing else`() {
        let drafts = Drafts(name: "Team", isEndToEndEncrypted: true, mention: .user, count: 4)
        let text = text(drafts)
        #expect(text.title == "Team")
        #expect(text.body == "New message")
        #expect(text.subtitle == nil)
        #expect(self.text(Drafts(isEndToEndEncrypted: true)).title == "Encrypted conversation")
    }

    @Test func `text is cut between characters and never grows`() {
        let family = "👨‍👩‍👧"
        let cut = EncodedText.shortened("abc" + family + family, by: 1)
        #expect(cut == "abc" + family + "…")
        #expect(EncodedText.shortened("a\"\n", by: 1) == "a…")
        #expect(EncodedText.shortened("…", by: 1) == nil)
        #expect(EncodedText.shortened("abc", by: 100) == nil)
        #expect(EncodedText.shortened("abcd", by: 100) == "…")
    }

    @Test func `an unknown language speaks English`() {
        #expect(Phrases.of(locale: "tlh-Latn").newMessage == "New message")
        #expect(Phrases.of(locale: nil).newMessages(2) == "2 new messages")
    }
}
