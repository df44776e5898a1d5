/// A device's place in the queue of a channel for pushes of one priority.
package struct QueuePlace: Equatable, Sendable {
    package let transport: Transport
    package let environment: Environment
    package let priority: PushPriority

    package init(transport: Transport, environment: Environment, priority: PushPriority) {
        self.transport = transport
        self.environment = environment
        self.priority = priority
    }

    init(_ token: TokenDigest, _ priority: PushPriority) {
        self.init(transport: token.transport, environment: token.environment, priority: priority)
    }

    /// Whether the turn of this place comes no later than that of another.
    func serves(_ other: QueuePlace) -> Bool {
        transport == other.transport && environment == other.environment && priority <= other.priority
    }
}
