import Domain
import Testing

@Suite struct SessionDeltaTests {
    private func shown(_ actions: [UserAction]) -> [ConversationID] {
        actions.compactMap { if case .showConversation(let id) = $0 { id } else { nil } }
    }

    @Test func `each change of a conversation is shown to connected devices, and to nobody else`() {
        var stage = Stage()
        stage.register(.phone)
        #expect(shown(stage.message()) == [])
        stage.connect(.phone, 1)
        #expect(shown(stage.message(in: "c-2")) == [ConversationID("c-2")])
        let read = stage.user.read(ConversationID("c-1"), through: 1, by: .tablet, at: stage.moment)
        #expect(shown((try? read.get()) ?? []) == [ConversationID("c-1")])
    }

    @Test func `a delta tells the conversation as it stands`() {
        var stage = Stage()
        stage.message(mention: .user)
        stage.message()
        let id = ConversationID("c-1")
        let delta = ConversationDelta(id, stage.user.conversations[id])
        #expect((delta.unread, delta.mentions, delta.readSeq) == (2, 1, 0))
        _ = stage.user.read(id, through: 1, by: nil, at: stage.moment)
        let after = ConversationDelta(id, stage.user.conversations[id])
        #expect((after.unread, after.mentions, after.readSeq, after.isMuted) == (1, 0, 1, false))
    }
}
