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

    /// Whether it is in a queue of the channel that a token belongs to.
    fileprivate func isOfChannel(_ token: TokenDigest) -> Bool {
        transport == token.transport && environment == token.environment
    }
}

extension [QueuePlace] {
    /// The highest with which a device waits on the channel of a token; nil: it does not wait there.
    func priority(onChannelOf token: TokenDigest) -> PushPriority? {
        var highest: PushPriority?
        for place in self where place.isOfChannel(token) {
            if highest.map({ place.priority < $0 }) ?? true { highest = place.priority }
        }
        return highest
    }
}
