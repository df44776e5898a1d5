import Domain
import Engine

/// The providers of a world: each request is accepted, refused, lost or left for later.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class SimulatedProvider: PushSending, @unchecked Sendable {
    unowned let world: World
    /// Requests with the provider; a crash of the server loses their answers.
    private(set) var inFlight: Set<RequestKey> = []

    struct RequestKey: Hashable {
        let epoch: Int
        let id: RequestID
    }

    init(_ world: World) { self.world = world }

    func send(_ requests: [PushRequest]) {
        for request in requests {
            world.judge(request)
            let key = RequestKey(epoch: world.clockwork.epoch, id: request.id)
            inFlight.insert(key)
            let wait = Int64.random(in: 0...world.faults.providerDelay, using: &world.clockwork.generator)
            // The provider's side goes on when the server dies.
            world.clockwork.schedule(after: wait, epoch: nil) { self.answer(request, key) }
        }
    }

    private func answer(_ request: PushRequest, _ key: RequestKey) {
        inFlight.remove(key)
        let verdict = world.verdict()
        if verdict == .accepted { world.accepted(request) }
        guard key.epoch == world.clockwork.epoch else { return }
        let answer = ProviderAnswer(status: verdict == .accepted ? 200 : 500, reason: "")
        world.engine.report([PushReport(request: request.id, verdict: verdict, answer: answer)])
    }
}
