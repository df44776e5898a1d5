import Domain
import Engine

final class OneRequestPerToken: Invariant {
    let sentence = "at most one request per token is in flight"
    unowned let world: World
    private var inFlight: Set<Place> = []

    private struct Place: Hashable {
        let token: TokenKey
        let epoch: Int
    }

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        let isFirst = inFlight.insert(Place(token: push.draft.token.key, epoch: push.epoch)).inserted
        hold(isFirst, "\(push) leaves while another is with the provider")
    }

    func answered(_ push: Push, _ verdict: PushVerdict) {
        inFlight.remove(Place(token: push.draft.token.key, epoch: push.epoch))
    }
}
