import Domain
import Engine
import Testing
import Wire

@testable import Providers

struct ShownCacheTests {
    private let drafts = Drafts(kind: .group, name: "Team")

    private func alert(
        _ message: Message, seq: Int64 = 121, count: Int64 = 1, mention: Mention = .none
    ) -> PushDraft {
        let alert = AlertDraft(
            oldestMessage: message.id, message: message, mention: mention, mailboxSeq: seq, count: count,
            priority: .direct)
        return drafts.draft(.alert(alert))
    }

    @Test func `recipients of one message share its words, and each has a place of its own`() {
        let message = drafts.alert.message
        var cache = ShownCache()
        let (first, second) = (alert(message), alert(message, seq: 7))
        let shown = [first, second].map { cache.shown(of: $0) }
        #expect(shown[0] != nil && shown[0] === shown[1])
        let seqs = zip([first, second], shown).map { draft, shown in
            APNsPayload.body(draft, shown, Drafts.identity(draft)).flatMap(Drafts.read)?[
                path: "rouse", "mailbox_seq"]?.integer
        }
        #expect(seqs == [121, 7])
    }

    @Test func `another count, mention or message has other words`() {
        let message = drafts.alert.message
        var cache = ShownCache()
        let bodies = [
            alert(message), alert(message, count: 3), alert(message, count: 3, mention: .user),
            alert(drafts.alert.message), alert(message),
        ].map { cache.shown(of: $0)?.text }
        #expect(
            bodies.map { $0?.body } == [
                "Alice: See you at 8", "3 new messages", "Alice: See you at 8", "Alice: See you at 8",
                "Alice: See you at 8",
            ])
        #expect(bodies.map { $0?.subtitle } == [nil, nil, "3 new messages", nil, nil])
    }

    @Test func `another language has other words`() {
        let message = drafts.alert.message
        var russian = drafts
        russian.locale = "ru"
        var cache = ShownCache()
        let texts = [drafts, russian, drafts].map { drafts in
            let alert = AlertDraft(
                oldestMessage: message.id, message: message, mention: .none, mailboxSeq: 1, count: 3,
                priority: .direct)
            return cache.shown(of: drafts.draft(.alert(alert)))?.text.body
        }
        #expect(texts == ["3 new messages", "3 новых сообщения", "3 new messages"])
    }

    @Test func `a badge shows nothing`() {
        var cache = ShownCache()
        #expect(cache.shown(of: drafts.draft(.badge)) == nil)
    }
}
