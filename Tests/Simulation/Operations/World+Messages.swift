import Domain

@testable import Engine

/// The backend sends.
extension World {
    func sendMessage() { ingest(messages.next(), note: "sends") }

    /// A retry, or the next page of a large group.
    func repeatMessage() {
        guard messages.count > 0 else { return }
        ingest(dice.below(messages.count) + 1, note: "repeats")
    }

    private func ingest(_ number: Int, note: String) {
        let chosen = Self.users.filter { _ in dice.chance(60) }
        let message = MessageBook.message(
            number, seed: seed, to: chosen.isEmpty ? [dice.pick(Self.users)] : chosen)
        journal.note(clockwork.now, "the backend \(note) \(message.summary)")
        engine.ingest(tenant: Self.tenant, [message]) { _ in }
    }

    /// A sender takes a message back, at times one that has not come yet.
    func recallMessage() {
        let number = dice.below(messages.count + 2) + 1
        let name = MessageName(tenant: Self.tenant, message: MessageID("m-\(number)"))
        journal.note(clockwork.now, "the backend recalls \(name.message)")
        recall(name)
    }

    /// Until it is told that it is done.
    private func recall(_ name: MessageName) {
        let open = Box(Self.shards)
        if !databaseFails() {
            database.recall(name, at: clockwork.now)
            for shard in engine.shards {
                shard.submit([
                    .recall(name, loading: [], made: 0) { result in
                        guard case .success = result else { return }
                        open.value -= 1
                        guard open.value == 0 else { return }
                        for invariant in self.invariants { invariant.recallAnswered(name) }
                    }
                ])
            }
        }
        clockwork.schedule(after: 4_000, epoch: nil) {
            if open.value > 0, self.violation == nil { self.recall(name) }
        }
    }

    /// The same id with another sender is a mistake of the backend, and changes nothing.
    func contradictMessage() {
        guard messages.count > 0 else { return }
        let number = dice.below(messages.count) + 1
        var message = MessageBook.message(number, seed: seed, to: Self.users)
        guard database.messages[MessageName(tenant: Self.tenant, message: message.id)] != nil else { return }
        message.sender = Message.Sender(user: UserID("mallory"))
        journal.note(clockwork.now, "the backend contradicts itself about \(message.id)")
        engine.ingest(tenant: Self.tenant, [message]) { results in
            if case .accepted? = results.first {
                self.violated("the same id with another sender is a 409", "\(results) was accepted")
            }
        }
    }
}

extension IncomingMessage {
    fileprivate var summary: String {
        var words = ["\(id) of \(sender.user) in \(conversation.id) to \(recipients)"]
        if mentionsAll { words.append("mentions all") }
        if !mentionedUsers.isEmpty { words.append("mentions \(mentionedUsers)") }
        if !countsUnread { words.append("counts not") }
        if !wantsPush { words.append("push: false") }
        if let expiresInSeconds { words.append("expires in \(expiresInSeconds) s") }
        return words.joined(separator: ", ")
    }
}
