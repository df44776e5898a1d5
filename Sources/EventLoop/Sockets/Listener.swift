import Dispatch
import Synchronization

/// Accepts connections on one loop and spreads them over a group.
///
/// Out of descriptors, it tells those who come so, one at a time over a descriptor kept for this; where even
/// that fails it stops watching (the readiness is level-triggered: it would spin) and goes on when one of its
/// connections closed or after a pause.
package final class Listener: Sendable {
    package struct Settings: Sendable {
        /// Connections open at once; those above are handed over
        /// marked, up to `refusals` of them, to be told so.
        package var maximumConnections = 10_000
        /// Connections above the maximum that may be open to hear a refusal; what comes above is told in
        /// haste, one at a time.
        package var maximumRefusals = 64
        package var acceptsPerTurn = 64
        package var backlog: Int32 = 4_096
        package var socket = SocketOptions()
        package var pauseMilliseconds = 100
        /// What is written to a client for which there is no room and no descriptor; nil: it is reset.
        package var refusal: (@Sendable () -> [UInt8]?)?

        package init() {}
    }

    /// A connection just accepted, on its loop, not started.
    package struct Arrival {
        package let socket: StreamSocket
        /// Above the maximum: answer that there is no room, and close.
        package let isRefused: Bool
    }

    /// Where it listens, with the port that the kernel chose.
    package let address: SocketAddress
    private let loop: EventLoop
    private let open: OpenConnections
    private let acceptor: LoopBound<Acceptor>

    /// Binds and listens at once; `arrived` runs on the connection's loop, one of the group's.
    package convenience init(
        address: SocketAddress, group: EventLoopGroup, settings: Settings = Settings(),
        arrived: @escaping @Sendable (Arrival) -> Void
    ) throws(SystemError) {
        try self.init(
            address: address, group: group, settings: settings, accept: Self.systemAccept, arrived: arrived)
    }

    package typealias Accept = @Sendable (Int32) -> Result<Int32?, SystemError>

    package static let systemAccept: Accept = { descriptor in
        Result { () throws(SystemError) in try System.accept(descriptor) }
    }

    /// With the accept call given: a test makes it fail.
    package init(
        address: SocketAddress, group: EventLoopGroup, settings: Settings, accept: @escaping Accept,
        arrived: @escaping @Sendable (Arrival) -> Void
    ) throws(SystemError) {
        let descriptor = try Self.listen(on: address, backlog: settings.backlog)
        self.address =
            if case .unix = address { address } else { System.localAddress(of: descriptor) ?? address }
        let loop = group.next()
        let open = OpenConnections()
        self.loop = loop
        self.open = open
        let acceptor = loop.sync {
            LoopBound(
                Acceptor(
                    descriptor: descriptor, loop: loop, group: group, settings: settings, open: open,
                    accept: accept,
                    arrived: arrived), on: loop)
        }
        self.acceptor = acceptor
        open.onClose = { [loop] in loop.post { acceptor.value.connectionClosed() } }
        loop.post { acceptor.value.start() }
    }

    /// Connections accepted and not yet closed.
    package var openCount: Int { open.count.load(ordering: .relaxed) }

    /// Stops accepting; connections live on. From any thread.
    package func close() {
        loop.post { [acceptor] in acceptor.value.close() }
    }

    private static func listen(on address: SocketAddress, backlog: Int32) throws(SystemError) -> Int32 {
        let descriptor = try System.socket(for: address)
        do {
            switch address {
            case .ipv4: try System.setReuseAddress(descriptor)
            case .ipv6:
                try System.setReuseAddress(descriptor)
                try System.setIPv6Only(descriptor)
            case .unix(let path): System.removeStaleSocket(at: path)
            }
            try System.bind(descriptor, to: address)
            try System.listen(descriptor, backlog: backlog)
        } catch {
            System.close(descriptor)
            throw error
        }
        return descriptor
    }
}

/// Counts across loops; tells the acceptor of a close only while it waits for one.
final class OpenConnections: Sendable {
    let count = Atomic<Int>(0)
    let isAwaited = Atomic<Bool>(false)
    private let closeHook = Mutex<(@Sendable () -> Void)?>(nil)

    var onClose: (@Sendable () -> Void)? {
        get { closeHook.withLock { $0 } }
        set { closeHook.withLock { $0 = newValue } }
    }

    func closed() {
        count.subtract(1, ordering: .relaxed)
        if isAwaited.exchange(false, ordering: .relaxed) { onClose?() }
    }
}
