import Dispatch
import Synchronization

/// The listener's part that lives on its loop.
final class Acceptor {
    private let descriptor: Int32
    private let loop: EventLoop
    private let group: EventLoopGroup
    private let settings: Listener.Settings
    private let open: OpenConnections
    private let accept: Listener.Accept
    private let arrived: @Sendable (Listener.Arrival) -> Void
    private var source: (any DispatchSourceRead)?
    private var isPaused = false
    private var pauseTimer: TimerToken?
    private var spare: SpareDescriptor

    init(
        descriptor: Int32, loop: EventLoop, group: EventLoopGroup, settings: Listener.Settings,
        open: OpenConnections, accept: @escaping Listener.Accept,
        arrived: @escaping @Sendable (Listener.Arrival) -> Void
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.group = group
        self.settings = settings
        self.open = open
        self.accept = accept
        self.arrived = arrived
        spare = SpareDescriptor()
    }

    func start() {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: loop.queue)
        let me = LoopBound(self, on: loop)
        source.setEventHandler { @Sendable in me.value.acceptSome() }
        source.setCancelHandler { @Sendable in me.value.cancelled() }
        self.source = source
        source.activate()
    }

    func close() {
        resume()
        open.onClose = nil
        source?.cancel()
    }

    func connectionClosed() { resume() }

    private func cancelled() {
        source = nil
        spare.giveUp()
        System.close(descriptor)
    }

    private func acceptSome() {
        for _ in 0..<settings.acceptsPerTurn {
            guard !isPaused else { return }
            switch accept(descriptor) {
            case .success(let peer?): admit(peer)
            case .success(nil): return
            case .failure(let error):
                guard error.isOutOfDescriptors else { return }
                // One in a turn, lest the next closes its socket before it has read: the source tells again.
                return turnAwayWithoutRoom() ? () : pause()
            }
        }
    }

    /// Over the spare descriptor the next in line hears that there is no room. False: it waits on.
    private func turnAwayWithoutRoom() -> Bool {
        spare.giveUp()
        switch accept(descriptor) {
        case .success(let peer?): spare.spend(on: peer, saying: settings.refusal?())
        case .success(nil): spare.takeBack()
        case .failure:
            spare.takeBack()
            return false
        }
        return true
    }

    private func admit(_ peer: Int32) {
        let others = open.count.add(1, ordering: .relaxed).oldValue
        guard others < settings.maximumConnections + settings.maximumRefusals else {
            open.closed()
            spare.giveUp()
            return spare.spend(on: peer, saying: settings.refusal?())
        }
        do {
            try settings.socket.apply(to: peer, isTCP: isTCP)
        } catch {
            // The peer reset it before we came to it.
            System.close(peer)
            return open.closed()
        }
        let isRefused = others >= settings.maximumConnections
        let (loop, open, arrived) = (group.next(), open, arrived)
        loop.post {
            let socket = StreamSocket(adopting: peer, on: loop, countedBy: open)
            arrived(Listener.Arrival(socket: socket, isRefused: isRefused))
        }
    }

    private lazy var isTCP: Bool =
        if case .unix? = System.localAddress(of: descriptor) { false } else { true }

    private func pause() {
        guard !isPaused, let source else { return }
        isPaused = true
        source.suspend()
        open.isAwaited.store(true, ordering: .relaxed)
        pauseTimer = loop.timers.arm(afterMilliseconds: settings.pauseMilliseconds) { [unowned self] in
            resume()
        }
    }

    private func resume() {
        guard isPaused else { return }
        isPaused = false
        if let pauseTimer { loop.timers.cancel(pauseTimer) }
        pauseTimer = nil
        spare.takeBack()
        source?.resume()
    }
}
