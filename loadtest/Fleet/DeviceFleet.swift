import EventLoop

/// Thousands of devices with a WebSocket each, on a few loops of this process. From any thread.
///
/// Commands return at once and are carried out in their order; `totals` tells how far they are.
/// A process has one descriptor for each device that is connected.
final class DeviceFleet: Sendable {
    private static let lookMilliseconds = 10

    private let rooms: [LoopBound<FleetRoom>]
    private let loops: [EventLoop]
    /// The boot clock when the fleet began: the origin of the times in observations.
    let origin = MonotonicClock.now()

    /// - Parameters:
    ///   - addresses: one server's, used in turn.
    ///   - watch: told of everything, on the device's loop; be quick in it.
    init(
        to addresses: [SocketAddress], loops count: Int = 2, settings: FleetSettings = FleetSettings(),
        watch: (@Sendable (DeviceEvent) -> Void)? = nil
    ) {
        precondition(!addresses.isEmpty)
        loops = EventLoopGroup(count: count, label: "fleet").loops
        let origin = origin
        rooms = loops.map { loop in
            loop.sync {
                let room = FleetRoom(
                    loop, addresses: addresses, settings: settings, origin: origin, watch: watch)
                return LoopBound(room, on: loop)
            }
        }
    }

    // MARK: Commands

    /// Adds devices, not yet connected; their numbers count on from those there are. Not concurrently.
    func add(_ profiles: [DeviceProfile]) async {
        let start = await totals.devices
        for (index, (loop, room)) in zip(loops, rooms).enumerated() {
            let count = loops.count
            await Self.onLoop(loop) {
                for (at, profile) in profiles.enumerated() where (start + at) % count == index {
                    room.value.add(start + at, profile)
                }
            }
        }
    }

    /// Connects those that are away, each at a random moment within so long.
    func connect(_ devices: Range<Int>? = nil, withinMilliseconds window: Int = 0) {
        each(devices) { device, room in device.connect(afterMilliseconds: room.random(below: window + 1)) }
    }

    /// Lets go of connections; each device comes back at a random moment within so long, or not at all.
    func drop(_ devices: Range<Int>? = nil, _ manner: DropManner, returningWithinMilliseconds window: Int?) {
        each(devices) { device, room in
            device.drop(manner, returningAfterMilliseconds: window.map { room.random(below: $0 + 1) })
        }
    }

    /// From now on; what waits to be acknowledged waits for the next entry.
    func behave(_ devices: Range<Int>? = nil, _ applying: DeviceProfile.Applying) {
        each(devices) { device, _ in device.profile.applying = applying }
    }

    /// Acknowledges up to a seq, or all received; only those online.
    func apply(_ devices: Range<Int>? = nil, through seq: Int64? = nil) {
        each(devices) { device, _ in device.apply(through: seq) }
    }

    /// Sends a text frame as it is.
    func send(_ devices: Range<Int>? = nil, text: String) {
        let bytes = Array(text.utf8)
        each(devices) { device, _ in device.send(text: bytes) }
    }

    /// Lets everything go; nothing comes back.
    func stop() async {
        each(nil) { device, _ in
            device.profile.returnsWithinMilliseconds = nil
            device.drop(.end, returningAfterMilliseconds: nil)
        }
        _ = await totals
    }

    // MARK: Looking

    var totals: FleetTotals {
        get async {
            var sum = FleetTotals()
            for (loop, room) in zip(loops, rooms) {
                sum = sum + (await Self.onLoop(loop) { room.value.totals })
            }
            return sum
        }
    }

    /// What each device has seen, by its number.
    var observations: [DeviceObservation] {
        get async {
            var parts: [[DeviceObservation]] = []
            for (loop, room) in zip(loops, rooms) {
                parts.append(await Self.onLoop(loop) { room.value.devices.map(\.seen) })
            }
            let count = parts.reduce(0) { $0 + $1.count }
            return (0..<count).map { parts[$0 % parts.count][$0 / parts.count] }
        }
    }

    /// From a message's sending to its ENTRY at a device that was there, since the last call.
    func takeLatencies() async -> Latencies {
        var all = Latencies()
        for (loop, room) in zip(loops, rooms) {
            all.add(
                await Self.onLoop(loop) {
                    defer { room.value.latencies.removeAll() }
                    return room.value.latencies
                })
        }
        return all
    }

    /// Waits until the counts are as wanted; false if they are not in time.
    func waits(
        withinMilliseconds limit: Int, until isSo: (FleetTotals) -> Bool
    ) async -> Bool {
        let deadline = MonotonicClock.now() + UInt64(limit) * 1_000_000
        while true {
            if isSo(await totals) { return true }
            guard MonotonicClock.now() < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
    }

    // MARK: Loops

    private func each(
        _ numbers: Range<Int>?, _ body: @escaping @Sendable (FleetDevice, FleetRoom) -> Void
    ) {
        for (loop, room) in zip(loops, rooms) {
            loop.post {
                let room = room.value
                for device in room.devices where numbers?.contains(device.number) ?? true {
                    body(device, room)
                }
            }
        }
    }

    private static func onLoop<R: Sendable>(_ loop: EventLoop, _ body: @escaping @Sendable () -> R) async -> R
    {
        await withCheckedContinuation { continuation in
            loop.post { continuation.resume(returning: body()) }
        }
    }
}
