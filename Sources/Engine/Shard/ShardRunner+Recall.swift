import Domain

/// A message is taken back: in each mailbox of this shard that has it, and for all that may come later by
/// its tombstone, which was committed before the shard was told.
extension ShardRunner {
    /// Recalls it for the users who are loaded; the others are loaded with the next round.
    ///
    /// A shard runs one batch at a time, so that a message that was under way when the tombstone was written
    /// is in a mailbox by now, or will see it.
    func recall(
        _ name: MessageName, _ made: Int, _ reply: @escaping Reply<Int>, _ loaded: LoadedBatch,
        at now: Moment, _ batch: inout ShardBatch
    ) {
        let targets = loaded.recallTargets[name] ?? []
        var made = made
        var rest: [UserName] = []
        for target in targets {
            guard let cached = users[target.user] else {
                rest.append(target.user)
                continue
            }
            guard batch.recalled.insert(.init(user: target.user, message: name.message)).inserted else {
                continue
            }
            let actions = cached.user.recalled(name.message, target.seq, in: target.conversation, at: now)
            record(actions, of: cached, at: now, &batch)
            made += 1
        }
        guard rest.isEmpty, targets.count < LoadRequest.recallTargetsLimit else {
            let next = ShardEvent.recall(name, loading: rest, made: made, reply)
            return batch.effects.append(.submit(next))
        }
        batch.effects.append(.reply { [made] in reply(.success(made)) })
    }
}
