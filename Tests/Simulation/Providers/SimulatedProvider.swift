import Domain
import Engine

/// The providers of a world: each request is accepted, refused, lost or left for later; what is accepted
/// arrives some time, in any order.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class SimulatedProvider: PushSending, @unchecked Sendable {
    unowned let world: World

    /// What was accepted, and when, of which the server may not have written it down.
    private var accepted: [(push: Push, at: Int64)] = []
    private var recordedAt: [UserKey: Int64] = [:]
    /// From a batch's decision to its commit.
    private static let underWay: Int64 = 10

    init(_ world: World) { self.world = world }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.records { recordedAt[row.user] = world.clockwork.now }
    }

    /// The next process knows what was written down: of the rest it can make nothing good.
    func serverDied() {
        for (push, at) in accepted where !push.isOfCall && !isRecorded(push, acceptedAt: at) {
            world.client(push.device)?.screen.excuse(.acceptanceUnknown)
        }
        accepted = []
    }

    private func isRecorded(_ push: Push, acceptedAt at: Int64) -> Bool {
        guard push.tasks.isEmpty else {
            return push.tasks.allSatisfy { world.database.outcomes[$0] != nil }
        }
        return recordedAt[push.user] ?? 0 > at + Self.underWay
    }

    func send(_ requests: [PushRequest]) {
        for request in requests {
            let push = Push(request, in: world)
            world.journal.note(world.clockwork.now, "\(push) leaves")
            for invariant in world.invariants { invariant.left(push) }
            let wait = world.clockwork.generator.upTo(world.faults.providerDelay)
            // The provider's side goes on when the server dies.
            world.clockwork.schedule(after: wait, epoch: nil) { self.answer(push) }
        }
    }

    private func answer(_ push: Push) {
        let verdict = world.verdict(for: push.request)
        world.journal.note(world.clockwork.now, "\(push): \(verdict)")
        for invariant in world.invariants { invariant.answered(push, verdict) }
        let client = world.client(push.request.user, push.draft.device)
        if verdict == .accepted {
            accepted.append((push, world.clockwork.now))
            deliver(push, to: client)
        }
        if isRefused(verdict), push.draft.kind == .cover { client?.screen.excuse(.coverLost) }
        guard push.epoch == world.clockwork.epoch else {
            if !push.isOfCall { client?.screen.excuse(.acceptanceUnknown) }
            return
        }
        let answer = ProviderAnswer(status: verdict == .accepted ? 200 : 500, reason: "")
        world.engine.report([PushReport(request: push.request.id, verdict: verdict, answer: answer)])
    }

    private func isRefused(_ verdict: PushVerdict) -> Bool {
        switch verdict {
        case .accepted, .channelFault: false
        case .retry, .rejected, .tokenDead: true
        }
    }

    private func deliver(_ push: Push, to client: SimulatedClient?) {
        let wait = world.clockwork.generator.upTo(world.faults.providerDelay * 4)
        world.clockwork.schedule(after: wait, epoch: nil) { client?.arrive(push) }
    }
}
