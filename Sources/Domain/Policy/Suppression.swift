/// Why policy makes no push, with the numbers that it was judged on.
struct Suppression: Equatable {
    let reason: OutcomeReason
    /// Nil: the reason says it all.
    let step: TraceStep.Event?

    init(_ reason: OutcomeReason, _ step: TraceStep.Event? = nil) {
        self.reason = reason
        self.step = step
    }
}

/// Whose zone a window was judged by.
package enum ZoneOrigin: UInt8, Sendable {
    case user, device, tenant

    package var word: String {
        switch self {
        case .user: "user"
        case .device: "device"
        case .tenant: "tenant"
        }
    }
}
