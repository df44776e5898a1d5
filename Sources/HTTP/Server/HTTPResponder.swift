package import EventLoop
import Synchronization
package import Wire

/// The one answer to one request, to be given once and from any thread; what comes second is
/// ignored, and so is all after the client left. Let go of without an answer, it answers 500.
package final class HTTPResponder: Sendable {
    /// The connection's loop.
    package let loop: EventLoop
    /// Who asks; nil over a Unix socket.
    package let peer: SocketAddress?
    private let connection: LoopBound<HTTPConnection>
    private let sequence: Int
    private let isAnswered = Atomic<Bool>(false)

    init(_ connection: HTTPConnection, sequence: Int, peer: SocketAddress?) {
        loop = connection.loop
        self.connection = LoopBound(connection, on: connection.loop)
        self.sequence = sequence
        self.peer = peer
    }

    deinit {
        guard !isAnswered.load(ordering: .relaxed) else { return }
        let (connection, sequence) = (connection, sequence)
        loop.post { connection.value.fail(sequence, .notAnswered) }
    }

    /// `gate`: an answer that may be given only while it is open; else it becomes a 503, or the connection is
    /// closed if that much cannot be said any more.
    package func respond(_ response: HTTPResponse, under gate: (any WriteGate)? = nil) {
        guard claim() else { return }
        let (connection, sequence) = (connection, sequence)
        if loop.isOnLoop { return connection.value.respond(response, under: gate, to: sequence) }
        loop.post { connection.value.respond(response, under: gate, to: sequence) }
    }

    /// Begins an answer whose body comes in pieces, for as long as one likes
    /// (server-sent events). `onClose` runs once, on the loop, when the client is
    /// gone, too slow (its unsent bytes pass the limit) or the stream finished.
    package func stream(
        status: Int = 200, headers: HTTPHeaders, onClose: @escaping @Sendable () -> Void
    ) -> HTTPResponseStream {
        let handle = HTTPResponseStream(loop: loop, connection: connection, sequence: sequence)
        guard claim() else {
            loop.post { onClose() }
            return handle
        }
        let (connection, sequence) = (connection, sequence)
        loop.post {
            connection.value.beginStream(status: status, headers: headers, onClose: onClose, to: sequence)
        }
        return handle
    }

    /// Answers 101 and gives the stream away, on the loop, with the bytes that came after the
    /// request. The new owner sets the delegate at once; unread bytes of the stream follow.
    package func upgrade(
        headers: HTTPHeaders, takeOver: @escaping @Sendable (any ByteStream, [UInt8]) -> Void
    ) {
        guard claim() else { return }
        let (connection, sequence) = (connection, sequence)
        if loop.isOnLoop {
            return connection.value.upgrade(headers: headers, to: sequence, takeOver: takeOver)
        }
        loop.post { connection.value.upgrade(headers: headers, to: sequence, takeOver: takeOver) }
    }

    private func claim() -> Bool { !isAnswered.exchange(true, ordering: .relaxed) }
}

/// A streaming answer; from any thread, in the order of the calls of one thread.
package final class HTTPResponseStream: Sendable {
    private let loop: EventLoop
    private let connection: LoopBound<HTTPConnection>
    private let sequence: Int

    init(loop: EventLoop, connection: LoopBound<HTTPConnection>, sequence: Int) {
        self.loop = loop
        self.connection = connection
        self.sequence = sequence
    }

    /// Sends a piece of the body; ignored after the end.
    package func send(_ bytes: [UInt8]) {
        let (connection, sequence) = (connection, sequence)
        loop.post { connection.value.sendChunk(bytes, to: sequence) }
    }

    package func finish() {
        let (connection, sequence) = (connection, sequence)
        loop.post { connection.value.finishStream(sequence) }
    }
}
