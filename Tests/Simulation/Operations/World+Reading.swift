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
        read(client, .conversation(conversation, through: entry.seq), by: reader) {
            if reader != nil { client.readHere(conversation, through: entry.seq) }
        }
    }

    /// Who is not told that it is done tells of it again. What the device itself read it knows without us;
    /// the number it is told by the answer.
    private func read(
        _ client: SimulatedClient, _ target: ReadTarget, by reader: DeviceID?, _ here: @escaping () -> Void
    ) {
        let isDone = Box(false)
        here()
        engine.read(client.user, target, by: reader) { result in
            self.told(client.user, result)
            guard case .success(let badge) = result else { return }
            isDone.value = true
            guard reader != nil else { return }
            client.screen.answered(badge)
            // All that there was then, also what came with it.
            guard case .all = target else { return }
            for conversation in Self.conversations {
                client.readHere(conversation, through: badge.projectionSeq)
            }
        }
        clockwork.schedule(after: 4_000, epoch: nil) {
            guard !isDone.value, self.violation == nil else { return }
            self.journal.note(self.clockwork.now, "a read of \(client.user.user) is told again")
            self.read(client, target, by: reader, here)
        }
    }

    /// The user left a conversation.
    func leaveConversation() {
        let user = dice.pick(clients).user
        let conversation = dice.pick(Self.conversations)
        journal.note(clockwork.now, "\(user.user) leaves \(conversation)")
        engine.leave(user, conversation) { self.told(user, $0) }
    }

    func readAll() {
        let client = dice.pick(clients)
        let reader = dice.chance(50) ? client.device : nil
        journal.note(clockwork.now, "\(client.user.user) reads everything, on \(reader?.text ?? "no device")")
        read(client, .all, by: reader) {
            guard reader != nil else { return }
            let head = self.database.keys[client.user].flatMap { self.database.ledgers[$0]?.head } ?? 0
            for conversation in Self.conversations { client.readHere(conversation, through: head) }
        }
    }

    /// Somebody asks for a number.
    func look() {
        let client = dice.pick(clients)
        engine.badge(client.user) { self.told(client.user, $0) }
    }

    /// Everybody's number is asked for: who is not in memory hears of a policy with the next that happens.
    func lookAtAll() {
        for client in clients { engine.badge(client.user) { self.told(client.user, $0) } }
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
