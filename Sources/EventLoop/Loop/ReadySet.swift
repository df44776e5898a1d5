import Dispatch

/// What a watched descriptor is ready for.
struct Readiness: Equatable {
    var canRead = false
    var canWrite = false
    /// The peer has ended its side, or the connection broke: reading goes on to the end or the error.
    var hasEnded = false
}

/// Who is told when its descriptor is ready.
protocol ReadinessDelegate: AnyObject {
    func becameReady(_ readiness: Readiness)
}

/// All sockets of a loop behind one Dispatch source: an epoll descriptor that holds them.
///
/// With a source for each socket every readable event takes Dispatch's manager thread and three system calls;
/// so one wake finds all that are ready, and a socket is registered once for life. Readiness is told by its
/// edges: whoever is told reads until there is nothing, or remembers that it did not.
final class ReadySet {
    private static let takenAtOnce = 64
    private static let roundsPerTurn = 8

    /// A watched descriptor. Of a slot used again only the current generation is told.
    struct Watch {
        fileprivate let descriptor: Int32
        fileprivate let slot: UInt32
        fileprivate let generation: UInt32

        fileprivate var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
    }

    private struct Slot {
        var delegate: (any ReadinessDelegate)?
        var generation: UInt32 = 0
    }

    private let set: Int32
    private let source: any DispatchSourceRead
    private var slots: [Slot] = []
    private var free: [UInt32] = []
    private var found: [System.ReadyDescriptor] = []

    init(queue: DispatchQueue) {
        guard let set = System.makeReadySet() else {
            preconditionFailure("no descriptor is left for an event loop")
        }
        self.set = set
        source = DispatchSource.makeReadSource(fileDescriptor: set, queue: queue)
        let me = LoopBound(unchecked: WeakReadySet(self), queue: queue)
        source.setEventHandler { @Sendable in me.value.set?.tellReady() }
        source.setCancelHandler { @Sendable in System.close(set) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Holds the delegate until `unwatch`, and tells it what is ready already, too; later, never from within.
    func watch(_ descriptor: Int32, _ delegate: any ReadinessDelegate) throws(SystemError) -> Watch {
        let slot = free.popLast() ?? UInt32(slots.count)
        if slot == slots.count { slots.append(Slot()) }
        let watch = Watch(descriptor: descriptor, slot: slot, generation: slots[Int(slot)].generation)
        do throws(SystemError) {
            try System.watch(descriptor, in: set, token: watch.token)
        } catch {
            free.append(slot)
            throw error
        }
        slots[Int(slot)].delegate = delegate
        return watch
    }

    /// Tells from now on when there is room to write, too; also if there is room already.
    func watchWritable(_ watch: Watch) throws(SystemError) {
        try System.watch(watch.descriptor, in: set, token: watch.token, andWritable: true, isNew: false)
    }

    /// Call it before the descriptor is closed, once.
    func unwatch(_ watch: Watch) {
        System.unwatch(watch.descriptor, in: set)
        slots[Int(watch.slot)] = Slot(delegate: nil, generation: watch.generation &+ 1)
        free.append(watch.slot)
    }

    /// What is left after a fair share the source tells again.
    private func tellReady() {
        for _ in 0..<Self.roundsPerTurn {
            System.takeReady(set, into: &found, capacity: Self.takenAtOnce)
            let batch = found
            for ready in batch { tell(ready) }
            guard batch.count == Self.takenAtOnce else { return }
        }
    }

    private func tell(_ ready: System.ReadyDescriptor) {
        let slot = slots[Int(ready.token & 0xffff_ffff)]
        guard slot.generation == UInt32(ready.token >> 32) else { return }
        slot.delegate?.becameReady(ready.readiness)
    }
}

private struct WeakReadySet {
    weak let set: ReadySet?
    init(_ set: ReadySet) { self.set = set }
}
