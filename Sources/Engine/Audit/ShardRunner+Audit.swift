import Domain

/// A task whose row is there and which its shard would never end.
struct AuditDoubt: Sendable {
    let task: AuditedTask
    let kind: AuditViolation.Kind
}

extension Engine {
    /// Which of these open tasks their shards do not know, or will not move: told after the commit of
    /// all that a shard had decided when it was asked. A refusal: a shard is not open, or has not read
    /// everything back.
    func doubts(_ tasks: [AuditedTask]) async -> Result<[AuditDoubt], Refusal> {
        let byShard = Dictionary(grouping: tasks) { ShardMap.shard(of: $0.user, count: shards.count) }
        return await withCheckedContinuation { continuation in
            let gathered = Gathered<Result<[AuditDoubt], Refusal>>(byShard.count) { answers in
                continuation.resume(returning: Self.joined(answers))
            }
            for (shard, tasks) in byShard {
                shards[shard].submit(.audit(tasks) { gathered.add($0) })
            }
        }
    }

    private static func joined(
        _ answers: [Result<[AuditDoubt], Refusal>]
    ) -> Result<[AuditDoubt], Refusal> {
        var all: [AuditDoubt] = []
        for answer in answers {
            switch answer {
            case .success(let doubts): all += doubts
            case .failure(let refusal): return .failure(refusal)
            }
        }
        return .success(all)
    }
}

extension ShardRunner {
    /// How long after its time a task may still wait for its turn before it counts as stuck.
    private static let patience: Int64 = 60_000

    func audit(
        _ tasks: [AuditedTask], _ reply: @escaping Reply<[AuditDoubt]>, at now: Moment,
        _ batch: inout ShardBatch
    ) {
        // Until everything is read back, what is not in memory may just not have come.
        guard toReadBack.isEmpty else {
            return batch.effects.append(.reply { reply(.failure(.unavailable)) })
        }
        var doubts: [AuditDoubt] = []
        // A device is gone through once, however many tasks it has.
        for tasks in Dictionary(grouping: tasks, by: \.task.device).values {
            doubt(tasks, &doubts, at: now, batch)
        }
        // What this batch itself ends is not known any more, and must not be found open.
        batch.changes.settles = true
        batch.effects.append(.reply { [doubts] in reply(.success(doubts)) })
    }

    /// - Precondition: all of one device.
    private func doubt(
        _ tasks: [AuditedTask], _ doubts: inout [AuditDoubt], at now: Moment, _ batch: borrowing ShardBatch
    ) {
        var unknown = Dictionary(tasks.map { ($0.task.seq, $0) }) { first, _ in first }
        if let user = tasks.first?.user, let key = tasks.first?.task.device,
            let device = users[user]?.user.device(key)
        {
            for hold in device.holds {
                guard let task = unknown.removeValue(forKey: hold.task.seq) else { continue }
                if now.instant - hold.until > Self.patience {
                    doubts.append(AuditDoubt(task: task, kind: .stuck))
                }
            }
            for group in device.groups {
                let known = group.tasks.compactMap { unknown.removeValue(forKey: $0.seq) }
                if known.isEmpty || willMove(group, of: device, user, at: now, batch) { continue }
                doubts += known.map { AuditDoubt(task: $0, kind: .stuck) }
            }
        }
        doubts += unknown.values.map { AuditDoubt(task: $0, kind: .forgotten) }
    }

    /// Whether something that exists will take the group on: a timer, a queue, or an answer that is awaited.
    private func willMove(
        _ group: MergeGroup, of device: Device, _ user: UserName, at now: Moment,
        _ batch: borrowing ShardBatch
    ) -> Bool {
        switch group.state {
        case .merging(let at), .retrying(let at): return now.instant - at <= Self.patience
        case .inFlight(let attempt): return flights[attempt.request] != nil
        case .ready:
            if device.isInFlight { return true }
            return device.isQueued && (channels.hasTickets(of: user.tenant) || batch.queues(device.key))
        }
    }
}

extension ShardBatch {
    /// Whether its effects will put the device into a channel's queue.
    borrowing fileprivate func queues(_ device: DeviceKey) -> Bool {
        effects.contains { if case .queue(_, device, _, _) = $0 { true } else { false } }
    }
}
