import Domain

@testable import Engine

/// The backend calls, and ends calls.
extension World {
    func call() {
        let chosen = Self.users.filter { _ in dice.chance(50) }
        let call = IncomingCall(
            id: CallID("k-\(calls.count + 1)"), caller: Call.Caller(user: UserID("zoe")),
            callees: chosen.isEmpty ? [dice.pick(Self.users)] : chosen, isVideo: dice.chance(30),
            ttlSeconds: dice.pick([5, 30, 30, 120]))
        calls.append(call)
        ring(call, note: "calls")
    }

    /// A retry, at times with callees that were not called before.
    func repeatCall() {
        guard !calls.isEmpty else { return }
        var call = dice.pick(calls)
        if dice.chance(30) { call.callees = Self.users }
        ring(call, note: "repeats")
    }

    private func ring(_ call: IncomingCall, note: String) {
        journal.note(
            clockwork.now, "the backend \(note) \(call.id) to \(call.callees), \(call.ttlSeconds) s")
        engine.ring(tenant: Self.tenant, call) { result in
            guard case .accepted = result else { return }
            for invariant in self.invariants { invariant.callAnswered(call) }
        }
    }

    func cancelCall() {
        guard !calls.isEmpty else { return }
        let name = CallName(tenant: Self.tenant, call: dice.pick(calls).id)
        journal.note(clockwork.now, "the backend cancels \(name.call)")
        cancel(name)
    }

    /// Until it is told that it is done, or that there is no such call.
    private func cancel(_ name: CallName) {
        let isDone = Box(false)
        engine.callsInFlight.whenMade(name) {
            guard !self.databaseFails() else { return }
            guard let users = self.database.calls.cancel(name, reason: "gone") else {
                isDone.value = true
                return
            }
            self.end(name, for: users.compactMap { self.database.users[$0]?.name }, isDone)
        }
        clockwork.schedule(after: 4_000, epoch: nil) {
            if !isDone.value, self.violation == nil { self.cancel(name) }
        }
    }

    private func end(_ name: CallName, for users: [UserName], _ isDone: Box<Bool>) {
        let open = Box(users.count)
        for user in users {
            let event = CallEvent.cancel(user, name.call, reason: "gone") { result in
                guard case .success = result else { return }
                open.value -= 1
                guard open.value == 0 else { return }
                isDone.value = true
                for invariant in self.invariants { invariant.cancelAnswered(name) }
            }
            engine.shard(of: user).submit([.call(event)])
        }
    }
}
