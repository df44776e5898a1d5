import Domain
import Engine

final class OnlyCallsUseVoIP: Invariant {
    let sentence = "nothing but a call ever uses VoIP, and a call nothing but what can make a device ring"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        let transport = push.draft.token.transport
        if case .call = push.draft.content {
            hold(Transport.callOrder.contains(transport), "\(push) goes over \(transport.word)")
        } else if push.isOfCall {
            hold(transport == .fcm, "\(push) goes over \(transport.word), and rings nobody")
        } else {
            hold(transport != .apnsVoIP, "\(push) goes over VoIP, and is no call")
        }
    }
}
