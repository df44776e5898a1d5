import EventLoop
import Wire

/// The server's connections on one loop, and what they share.
final class ConnectionRoom {
    let loop: EventLoop
    let settings: HTTPServerSettings
    let responder: HTTPServer.Responder
    private let renderer: HTTPServer.Renderer
    private var connections: [ObjectIdentifier: HTTPConnection] = [:]
    private var dateSecond: Int64 = -1
    private var dateText = ""
    private(set) var isDraining = false
    private var drained: [() -> Void] = []

    init(
        loop: EventLoop, settings: HTTPServerSettings, renderer: @escaping HTTPServer.Renderer,
        responder: @escaping HTTPServer.Responder
    ) {
        self.loop = loop
        self.settings = settings
        self.renderer = renderer
        self.responder = responder
    }

    func admit(_ arrival: Listener.Arrival, tls: TLSContext?) {
        if arrival.isRefused { return turnAway(arrival.socket, isSecure: tls != nil) }
        guard let tls else { return serve(arrival.socket) }
        guard let session = try? tls.serverSession() else { return arrival.socket.close(.reset) }
        serve(TLSStream(over: arrival.socket, session: session))
    }

    func remove(_ connection: HTTPConnection) {
        connections[ObjectIdentifier(connection)] = nil
        tellIfDrained()
    }

    func response(to failure: HTTPServerFailure) -> HTTPResponse {
        var response = renderer(failure)
        response.status = failure.status
        return response
    }

    /// The date of now, made once a second.
    var date: String {
        let second = WallClock.now() / 1_000
        if second != dateSecond {
            dateSecond = second
            dateText = HTTPDate.text(atUnixSeconds: second)
        }
        return dateText
    }

    func drain(withinMilliseconds limit: Int, done: @escaping () -> Void) {
        isDraining = true
        for connection in Array(connections.values) { connection.drain() }
        let timer = loop.timers.arm(afterMilliseconds: limit) {
            for connection in Array(self.connections.values) { connection.cutOff() }
        }
        drained.append {
            self.loop.timers.cancel(timer)
            done()
        }
        tellIfDrained()
    }

    private func tellIfDrained() {
        guard isDraining, connections.isEmpty else { return }
        let drained = drained
        self.drained = []
        for done in drained { done() }
    }

    private func serve(_ stream: any ByteStream) {
        guard !isDraining else { return stream.close(.immediately) }
        let connection = HTTPConnection(stream, in: self)
        connections[ObjectIdentifier(connection)] = connection
        connection.start()
    }

    /// A TLS client would have to shake hands first to hear why; it is reset.
    private func turnAway(_ socket: StreamSocket, isSecure: Bool) {
        guard !isSecure else { return socket.close(.reset) }
        var bytes: [UInt8] = []
        HTTPResponseEncoder.encode(
            response(to: .tooManyConnections), date: date, keepAlive: false, into: &bytes)
        socket.start()
        socket.send(bytes)
        socket.close(.gracefully)
    }
}
