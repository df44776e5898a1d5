import Domain
import Engine
import EventLoop

/// The engine's end of a connection: every call hops to the connection's loop, in the order it was made.
struct LoopLink: DeviceLink {
    private let connection: LoopBound<GatewayConnection>
    private let loop: EventLoop

    /// On the loop.
    init(_ connection: GatewayConnection, on loop: EventLoop) {
        self.connection = LoopBound(connection, on: loop)
        self.loop = loop
    }

    func welcome(_ welcome: Welcome) {
        loop.post { [connection] in connection.value.welcome(welcome) }
    }

    func page(_ entries: [MailboxEntry], isLast: Bool) {
        loop.post { [connection] in connection.value.page(entries, isLast: isLast) }
    }

    func deliver(_ entries: [MailboxEntry]) {
        loop.post { [connection] in connection.value.deliver(entries) }
    }

    func show(_ conversations: [ConversationDelta], _ badge: BadgeState?, at seq: MailboxSeq) {
        loop.post { [connection] in connection.value.show(conversations, badge, at: seq) }
    }

    func ring(_ call: Call) {
        loop.post { [connection] in connection.value.ring(call) }
    }

    func callEnded(_ call: CallID, reason: String) {
        loop.post { [connection] in connection.value.callEnded(call, reason) }
    }

    func resume() {
        loop.post { [connection] in connection.value.resume() }
    }

    func refuse(code: String, detail: String) {
        loop.post { [connection] in connection.value.refused(code, detail) }
    }

    func close(_ reason: LinkClose) {
        loop.post { [connection] in connection.value.closeForEngine(reason) }
    }
}
