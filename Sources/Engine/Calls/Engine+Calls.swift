package import Domain
import Synchronization

extension Engine {
    /// Rings the devices of a call's callees; replies once, after the commit in every shard concerned.
    ///
    /// Safe to repeat: who has the call already is not rung again, who was not reached is. The id with
    /// another caller is a conflict.
    package func ring(
        tenant: TenantKey, _ incoming: IncomingCall, _ reply: @escaping @Sendable (RingResult) -> Void
    ) {
        var callees = Array(repeating: [UserID](), count: shards.count)
        for user in incoming.callees {
            let name = UserName(tenant: tenant, user: user)
            callees[ShardMap.shard(of: name, count: shards.count)].append(user)
        }
        let parts = shards.indices.filter { !callees[$0].isEmpty }
        for shard in parts where !shards[shard].inbox.hasRoom(for: callees[shard].count) {
            return reply(.refused(.overloaded))
        }
        let name = CallName(tenant: tenant, call: incoming.id)
        guard let call = callsInFlight.begin(incoming, name, now: wallNow) else {
            return reply(.refused(.callConflict))
        }
        let inFlight = callsInFlight
        let gathering = RingGathering(parts: parts.count) { result in
            inFlight.end(name)
            reply(result)
        }
        for shard in parts {
            let part = RingPart(gathering: gathering, tenant: tenant, call: call, callees: callees[shard])
            shards[shard].submit(.call(.ring(part)))
        }
    }

    /// Cancels a call, for one callee or for all: those it has and those a repeat would still bring it to.
    /// A leg that was answered or is over stays so. Safe to repeat.
    package func cancelCall(
        _ name: CallName, reason: String, callee: UserID?
    ) async -> Result<Void, Refusal> {
        await withCheckedContinuation { made in callsInFlight.whenMade(name) { made.resume() } }
        let users: [UserID]
        do {
            let known = try await directory.cancelCall(name, reason: reason, callee: callee)
            guard let known else { return .failure(.noSuchCall) }
            users = known
        } catch {
            return .failure(.unavailable)
        }
        guard !users.isEmpty else { return .success(()) }
        let results = await withCheckedContinuation { done in
            let gathered = Gathered<Result<Void, Refusal>>(users.count) { done.resume(returning: $0) }
            for user in users {
                let user = UserName(tenant: name.tenant, user: user)
                submit(.call(.cancel(user, name.call, reason: reason) { gathered.add($0) }), for: user)
            }
        }
        return results.first { if case .failure = $0 { true } else { false } } ?? .success(())
    }

    /// A call as the user has it.
    package func call(
        _ user: UserName, _ call: CallID, as caller: DeviceCaller? = nil, _ reply: @escaping Reply<CallStatus>
    ) {
        submit(.call(.look(user, call, reply)), for: user, as: caller)
    }
}

extension LinkHandle {
    /// CALL_APPLIED: the device rings by itself.
    package func callApplied(_ call: CallID) { shard.submit(.call(.applied(user, connection, call))) }

    /// CALL_ANSWERED
    package func callAnswered(_ call: CallID) { shard.submit(.call(.answered(user, connection, call))) }
}
