package import Domain
package import Engine
package import EventLoop
package import HTTP
package import Telemetry
package import Wire

/// The devices' WebSockets: takes connections over from HTTP and ties each to the engine.
package final class Gateway: Sendable {
    private let rooms: [ObjectIdentifier: LoopBound<GatewayRoom>]
    private let group: EventLoopGroup

    /// The loops are those of the HTTP server that the connections come from. Not to be called on one.
    /// `gate`: open while this process owns the data; past it nothing is handed to a device.
    package init(
        engine: Engine, authenticator: any DeviceAuthenticating, group: EventLoopGroup,
        settings: GatewaySettings = GatewaySettings(), metrics: MetricRegistry,
        gate: (any WriteGate)? = nil, clock: @escaping @Sendable () -> Moment
    ) {
        self.group = group
        let meters = GatewayMeters(metrics)
        var rooms: [ObjectIdentifier: LoopBound<GatewayRoom>] = [:]
        for loop in group.loops {
            rooms[ObjectIdentifier(loop)] = loop.sync {
                let room = GatewayRoom(
                    engine: engine, authenticator: authenticator, settings: settings, meters: meters,
                    gate: gate, now: clock)
                return LoopBound(room, on: loop)
            }
        }
        self.rooms = rooms
    }

    /// Answers the upgrade request; `identity`: what a good `Authorization` header told. Any thread.
    package func open(_ request: HTTPRequest, _ responder: HTTPResponder, _ identity: LinkIdentity?) {
        switch WebSocketHandshake.validate(request) {
        case .refused(let response): responder.respond(response)
        case .accepted(let headers, _):
            responder.upgrade(headers: headers) { [rooms] stream, leftover in
                guard let room = rooms[ObjectIdentifier(stream.loop)]?.value else {
                    return stream.close(.immediately)
                }
                room.admit(stream, identity, leftover)
            }
        }
    }

    /// A planned end: every connection is told 1001 and reported as drained, so that holds keep their
    /// deadlines. Connections that come later are closed likewise. Returns when all have been told.
    package func drain() async {
        for loop in group.loops {
            guard let room = rooms[ObjectIdentifier(loop)] else { continue }
            await withCheckedContinuation { done in
                loop.post {
                    room.value.drain()
                    done.resume()
                }
            }
        }
    }
}

/// The gateway's connections on one loop, and what they share.
final class GatewayRoom {
    let engine: Engine
    let authenticator: any DeviceAuthenticating
    let settings: GatewaySettings
    let meters: GatewayMeters
    let gate: (any WriteGate)?
    let now: @Sendable () -> Moment
    private var connections: [ObjectIdentifier: GatewayConnection] = [:]
    private var isDraining = false

    init(
        engine: Engine, authenticator: any DeviceAuthenticating, settings: GatewaySettings,
        meters: GatewayMeters, gate: (any WriteGate)?, now: @escaping @Sendable () -> Moment
    ) {
        self.engine = engine
        self.authenticator = authenticator
        self.settings = settings
        self.meters = meters
        self.gate = gate
        self.now = now
    }

    func admit(_ stream: any ByteStream, _ identity: LinkIdentity?, _ leftover: [UInt8]) {
        let connection = GatewayConnection(stream, identity, in: self)
        connections[ObjectIdentifier(connection)] = connection
        connection.start(leftover)
        if isDraining { connection.closeForEngine(.goingAway) }
    }

    func remove(_ connection: GatewayConnection) { connections[ObjectIdentifier(connection)] = nil }

    func drain() {
        isDraining = true
        for connection in Array(connections.values) { connection.closeForEngine(.goingAway) }
    }
}
