import EventLoop
import Synchronization
import Wire

@testable import Rouse

/// A device with a connection, and what it was told.
final class ConnectedDevice: Sendable {
    private let session: LoopBound<DeviceSession>
    private let loop: EventLoop
    private let received: Received
    private let ended: Gate

    init(
        _ address: WebAddress, _ key: ClientKey, user: String, device: String, applies: Bool,
        answers: Bool = false, loop: EventLoop
    ) {
        let received = Received()
        let ended = Gate()
        self.received = received
        self.ended = ended
        self.loop = loop
        var behaviour = DeviceSession.Behaviour()
        behaviour.applies = applies
        behaviour.answers = answers
        session = loop.sync { [behaviour] in
            let session = DeviceSession(
                address: address, tls: nil, loop: loop, behaviour: behaviour, place: nil,
                credential: {
                    try key.credential(user: user, device: device, now: WallClock.now() / 1_000)
                },
                notice: { received.take($0) }, ended: { ended.open() })
            session.start()
            return LoopBound(session, on: loop)
        }
    }

    func frames(_ type: String) -> [JSONNode] { received.frames.filter { $0["type"]?.string == type } }

    /// Returns once so many frames of a type have come.
    func waitFor(_ count: Int, _ type: String) async throws -> [JSONNode] {
        try await Patience.until("\(count) frames \(type)") {
            let found = frames(type)
            return found.count >= count ? found : nil
        }
    }

    func stop() async {
        loop.post { [session] in session.value.stop() }
        await ended.wait()
    }
}

/// The frames of a connection, in order.
private final class Received: Sendable {
    private let all = Mutex<[[UInt8]]>([])

    var frames: [JSONNode] { all.withLock { $0 }.compactMap { try? JSONDocument(parsing: $0).root } }

    func take(_ notice: DeviceSession.Notice) {
        if case .frame(let bytes) = notice { all.withLock { $0.append(bytes) } }
    }
}
