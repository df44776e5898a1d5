import Domain

@testable import Engine

/// Users read, here or there, and look.
extension World {
    func readOnDevice() { dice.pick(clients).read() }

    /// The backend tells of a read: by place, or by message, with the device that read or without.
    func readByBackend() {
        let client = dice.pick(clients)
        let conversation = dice.pick(Self.conversations)
        let isByDevice = dice.chance(50)
        let back = Int64(dice.below(4))
        guard let key = database.keys[client.user],
            let entry = database.entries[key]?.dropLast(Int(back)).last(where: {
                $0.isMessage(in: conversation)
            })
        else { return }
        journal.note(
            clockwork.now, "the backend tells that \(client.name) read \(conversation) to \(entry.seq)")
        let reader = isByDevice ? client.device : nil
        engine.read(client.user, .conversation(conversation, through: entry.seq), by: reader) { result in
            self.told(client.user, result)
        }
    }

    func readAll() {
        let client = dice.pick(clients)
        let reader = dice.chance(50) ? client.device : nil
        journal.note(clockwork.now, "\(client.user.user) reads everything, on \(reader?.text ?? "no device")")
        engine.read(client.user, .all, by: reader) { self.told(client.user, $0) }
    }

    /// Somebody asks for a number.
    func look() {
        let client = dice.pick(clients)
        engine.badge(client.user) { self.told(client.user, $0) }
    }

    private func told(_ user: UserName, _ result: Result<BadgeState, Refusal>) {
        guard case .success(let badge) = result else { return }
        journal.note(clockwork.now, "\(user.user) is told \(badge)")
        for invariant in invariants { invariant.told(user, badge) }
    }
}

extension MailboxEntry {
    func isMessage(in conversation: ConversationID) -> Bool {
        if case .message(let message, _, _) = change {
            message.conversation.id == conversation
        } else {
            false
        }
    }
}
