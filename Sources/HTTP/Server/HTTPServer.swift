package import EventLoop
import Synchronization
package import Wire

/// An HTTP/1.1 server over a group of loops: keep-alive, pipelining in order, TLS if given.
package final class HTTPServer: Sendable {
    /// Called on the connection's loop with a whole request; the answer may come later and from any thread.
    package typealias Responder = @Sendable (HTTPRequest, HTTPResponder) -> Void
    /// Makes the body of an answer that is the server's own; its status is the failure's.
    package typealias Renderer = @Sendable (HTTPServerFailure) -> HTTPResponse

    private let listener: Listener
    private let rooms: [ObjectIdentifier: LoopBound<ConnectionRoom>]
    private let group: EventLoopGroup
    private let tls: TLSSlot

    /// Listens at once. Not to be called on one of the loops. `accept`: a test makes it fail.
    package init(
        address: SocketAddress, group: EventLoopGroup, settings: HTTPServerSettings = HTTPServerSettings(),
        tls: TLSContext? = nil, accept: @escaping Listener.Accept = Listener.systemAccept,
        renderer: @escaping Renderer, responder: @escaping Responder
    ) throws(SystemError) {
        var rooms: [ObjectIdentifier: LoopBound<ConnectionRoom>] = [:]
        for loop in group.loops {
            rooms[ObjectIdentifier(loop)] = loop.sync {
                LoopBound(
                    ConnectionRoom(loop: loop, settings: settings, renderer: renderer, responder: responder),
                    on: loop)
            }
        }
        let slot = TLSSlot(tls)
        self.rooms = rooms
        self.group = group
        self.tls = slot
        var listening = settings.listener
        listening.refusal = { slot.context == nil ? Self.refusal(renderer) : nil }
        listener = try Listener(address: address, group: group, settings: listening, accept: accept) {
            [rooms] arrival in
            rooms[ObjectIdentifier(arrival.socket.loop)]?.value.admit(arrival, tls: slot.context)
        }
    }

    /// What a client hears for which there is no descriptor.
    private static func refusal(_ renderer: Renderer) -> [UInt8] {
        let failure = HTTPServerFailure.tooManyConnections
        var response = renderer(failure)
        response.status = failure.status
        var bytes: [UInt8] = []
        let date = HTTPDate.text(atUnixSeconds: WallClock.now() / 1_000)
        HTTPResponseEncoder.encode(response, date: date, keepAlive: false, into: &bytes)
        return bytes
    }

    /// Where it listens, with the port that the kernel chose.
    package var address: SocketAddress { listener.address }

    /// Connections accepted and not yet closed, upgraded ones included.
    package var openConnections: Int { listener.openCount }

    /// The certificate for connections to come; those that are open keep theirs.
    package func replaceTLS(_ context: TLSContext) { tls.replace(context) }

    /// Stops listening, closes idle connections, lets requests under way finish
    /// with `Connection: close`, and cuts off what is left at the deadline.
    /// Upgraded connections are their owner's. Returns when all are closed.
    package func drain(withinMilliseconds limit: Int) async {
        listener.close()
        await withTaskGroup(of: Void.self) { tasks in
            for loop in group.loops {
                guard let room = rooms[ObjectIdentifier(loop)] else { continue }
                tasks.addTask {
                    await withCheckedContinuation { done in
                        loop.post { room.value.drain(withinMilliseconds: limit) { done.resume() } }
                    }
                }
            }
        }
    }
}

/// The present certificate, shared by all loops.
private final class TLSSlot: Sendable {
    private let current: Mutex<TLSContext?>

    init(_ context: TLSContext?) { current = Mutex(context) }

    var context: TLSContext? { current.withLock { $0 } }

    func replace(_ context: TLSContext) { current.withLock { $0 = context } }
}
