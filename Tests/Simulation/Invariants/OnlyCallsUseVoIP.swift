import Domain
import Engine

final class OnlyCallsUseVoIP: Invariant {
    let sentence = "nothing but a call ever uses VoIP"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        hold(push.draft.token.transport != .apnsVoIP, "\(push) goes over VoIP, and is no call")
    }
}
