import Domain
import Testing

@Suite struct ConversationsTests {
    private let chat = ConversationID("c-1")

    private func fold(_ changes: [EntryFact.Change], countsMuted: Bool = false) -> Conversations {
        var fold = Conversations(badgeCountsMuted: countsMuted)
        for (index, change) in changes.enumerated() {
            fold.fold(EntryFact(seq: Int64(index) + 1, change: change))
        }
        return fold
    }

    @Test func `unread are the counting messages above the marker`() {
        let state = fold([
            .message(chat, countsUnread: true, .none), .message(chat, countsUnread: false, .none),
            .message(chat, countsUnread: true, .user), .read(chat, through: 1),
        ])
        #expect(state.badge == BadgeState(totalUnread: 1, totalMention: 1, mutedUnread: 0, projectionSeq: 4))
    }

    @Test func `a marker never moves backwards`() {
        let state = fold([
            .message(chat, countsUnread: true, .none), .message(chat, countsUnread: true, .none),
            .read(chat, through: 2), .read(chat, through: 1),
        ])
        #expect(state.badge.totalUnread == 0)
        #expect(state[chat].readSeq == 2)
    }

    @Test func `muted conversations are left out, except for their mentions`() {
        let entries: [EntryFact.Change] = [
            .settings(chat, isMuted: true, until: nil), .message(chat, countsUnread: true, .none),
            .message(chat, countsUnread: true, .all),
        ]
        #expect(
            fold(entries).badge
                == BadgeState(totalUnread: 1, totalMention: 1, mutedUnread: 2, projectionSeq: 3))
        #expect(fold(entries, countsMuted: true).badge.totalUnread == 2)
    }

    @Test func `a changed policy changes the number, not the log`() {
        var state = fold([
            .settings(chat, isMuted: true, until: nil), .message(chat, countsUnread: true, .none),
        ])
        state.apply(badgeCountsMuted: true)
        #expect(state.badge == BadgeState(totalUnread: 1, totalMention: 0, mutedUnread: 1, projectionSeq: 2))
    }

    @Test func `a recalled message no longer counts`() {
        let state = fold([.message(chat, countsUnread: true, .user), .recall(chat, of: 1)])
        #expect(state.badge.totalUnread == 0)
        #expect(state.badge.totalMention == 0)
    }

    @Test func `a checkpoint decodes to the same fold, wherever it was taken`() {
        var changes: [EntryFact.Change] = []
        for number in 1...300 {
            let conversation = ConversationID("conversation \(number % 7) é")
            switch number % 11 {
            case 0: changes.append(.read(conversation, through: Int64(number) - 3))
            case 5: changes.append(.settings(conversation, isMuted: true, until: WallTime(milliseconds: 9)))
            default:
                changes.append(.message(conversation, countsUnread: true, number % 4 == 0 ? .user : .none))
            }
        }
        let whole = fold(changes)
        for cut in [1, 100, 299, 300] {
            let before = fold(Array(changes[..<cut]))
            var after = Conversations(
                decoding: before.encoded(), through: Int64(cut), badgeCountsMuted: false)
            for index in cut..<changes.count {
                after?.fold(EntryFact(seq: Int64(index) + 1, change: changes[index]))
            }
            #expect(after == whole)
        }
    }

    @Test func `damaged checkpoints are refused, not trapped on`() {
        let bytes = fold([.message(chat, countsUnread: true, .none)]).encoded()
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            #expect(Conversations(decoding: cut, through: 1, badgeCountsMuted: false) == nil)
        }
        var generator = SystemRandomNumberGenerator()
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] = UInt8.random(in: 0...255, using: &generator)
            _ = Conversations(decoding: damaged, through: 1, badgeCountsMuted: false)
        }
    }
}
