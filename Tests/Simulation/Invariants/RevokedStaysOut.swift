import Domain
import Engine

final class RevokedStaysOut: Invariant {
    let sentence = "remote logout refuses credentials issued up to then"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func welcomed(_ client: SimulatedClient, _ welcome: Welcome, isRevoked: Bool) {
        hold(!isRevoked, "\(client.name) comes in with a revoked credential")
    }
}
