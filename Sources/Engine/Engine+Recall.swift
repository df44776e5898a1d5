package import Domain

extension Engine {
    /// A message is taken back by its sender: it leaves what is unread, wakes nobody any more, and its
    /// banners are covered. Its id stays recalled: what is ingested under it later makes nothing.
    ///
    /// Answers whether the message was known. Safe to repeat: a repeat completes what is missing.
    package func recall(_ message: MessageName) async -> Result<Bool, Refusal> {
        let isKnown: Bool
        do {
            isKnown = try await directory.recall(message, at: shards[0].scheduler.now().wall)
        } catch {
            return .failure(.unavailable)
        }
        let answers = await withCheckedContinuation { continuation in
            let gathered = Gathered<Result<Int, Refusal>>(shards.count) { continuation.resume(returning: $0) }
            for shard in shards {
                shard.submit(.recall(message, loading: [], made: 0) { gathered.add($0) })
            }
        }
        var made = 0
        for answer in answers {
            switch answer {
            case .success(let count): made += count
            case .failure(let refusal): return .failure(refusal)
            }
        }
        return .success(isKnown || made > 0)
    }

    /// The user left a conversation: what is unread of it, its tasks and its banners go.
    package func leave(_ user: UserName, _ conversation: ConversationID, _ reply: @escaping Reply<BadgeState>)
    {
        submit(.read(user, .leaving(conversation), by: nil, reply), for: user)
    }
}
