import Domain

/// What happens to a shard about calls.
enum CallEvent: Sendable {
    case ring(RingPart)
    case cancel(UserName, CallID, reason: String, Reply<Void>)
    case look(UserName, CallID, Reply<CallStatus>)
    case applied(UserName, ConnectionID, CallID)
    case answered(UserName, ConnectionID, CallID)

    /// How much of a batch it takes.
    var weight: Int {
        if case .ring(let part) = self { part.callees.count } else { 1 }
    }

    /// Evidence is kept while the shard is away; what a caller can repeat is refused.
    var isRepeatable: Bool {
        switch self {
        case .ring, .cancel, .look: true
        case .applied, .answered: false
        }
    }

    func refuse(_ refusal: Refusal) {
        switch self {
        case .ring(let part): part.gathering.settle(new: 0, devices: 0, refusal: refusal)
        case .cancel(_, _, _, let reply): reply(.failure(refusal))
        case .look(_, _, let reply): reply(.failure(refusal))
        case .applied, .answered: break
        }
    }

    /// The users whose state it needs, and what of a call their rows must tell.
    func needs(_ need: (UserName) -> Void, _ probe: (CallName, [UserID]) -> Void) {
        switch self {
        case .ring(let part):
            for user in part.callees { need(UserName(tenant: part.tenant, user: user)) }
            probe(CallName(tenant: part.tenant, call: part.call.id), part.callees)
        case .cancel(let name, _, _, _), .applied(let name, _, _): need(name)
        case .look(let name, let call, _), .answered(let name, _, let call):
            need(name)
            probe(CallName(tenant: name.tenant, call: call), [name.user])
        }
    }
}
