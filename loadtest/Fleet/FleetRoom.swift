import EventLoop

/// What all devices of one fleet share.
struct FleetSettings: Sendable {
    /// For connecting, and again from the upgrade to AUTH_OK.
    var connectMilliseconds = 20_000
    /// Whether each device remembers every entry with its times, and its absences: 16 bytes an entry.
    var keepsEntries = false
    /// The addresses are those of several servers: after an end or a refusal a device tries the next.
    var movesOn = false

    init(keepsEntries: Bool = false) { self.keepsEntries = keepsEntries }
}

/// Counts over a fleet, or over the part of it on one loop.
struct FleetTotals: Equatable, Sendable {
    var devices = 0
    /// Authenticated now.
    var online = 0
    /// Under way to AUTH_OK now.
    var underWay = 0
    /// Entries received, repeats after a reconnect included.
    var entries = 0
    /// Times that AUTH_OK came.
    var authentications = 0
    /// Connections that ended after the upgrade, by close code; 1006 without a close frame.
    var ends: [UInt16: Int] = [:]
    /// Attempts that became no WebSocket, by status; 0 without an answer.
    var refusals: [Int: Int] = [:]

    static func + (left: FleetTotals, right: FleetTotals) -> FleetTotals {
        var sum = left
        sum.devices += right.devices
        sum.online += right.online
        sum.underWay += right.underWay
        sum.entries += right.entries
        sum.authentications += right.authentications
        sum.ends.merge(right.ends, uniquingKeysWith: +)
        sum.refusals.merge(right.refusals, uniquingKeysWith: +)
        return sum
    }
}

/// The devices of a fleet that live on one loop. Belongs to it.
final class FleetRoom {
    let loop: EventLoop
    let settings: FleetSettings
    private let addresses: [SocketAddress]
    private let origin: UInt64
    private let watch: (@Sendable (DeviceEvent) -> Void)?
    private(set) var devices: [FleetDevice] = []
    private(set) var totals = FleetTotals()
    var latencies = Latencies()
    private var randomState: UInt64

    init(
        _ loop: EventLoop, addresses: [SocketAddress], settings: FleetSettings, origin: UInt64,
        watch: (@Sendable (DeviceEvent) -> Void)?
    ) {
        self.loop = loop
        self.addresses = addresses
        self.settings = settings
        self.origin = origin
        self.watch = watch
        randomState = UInt64.random(in: 1...UInt64.max)
    }

    var entries: Int {
        get { totals.entries }
        set { totals.entries = newValue }
    }

    func add(_ number: Int, _ profile: DeviceProfile) {
        devices.append(FleetDevice(number, profile, in: self))
        totals.devices += 1
    }

    /// Several addresses of one server give each a range of ports of its own.
    func address(of device: Int) -> SocketAddress { addresses[device % addresses.count] }

    /// Milliseconds since the fleet began, never 0.
    var now: UInt32 { time(MonotonicClock.now()) }

    /// A time of the boot clock as one of the fleet.
    func time(_ nanoseconds: UInt64) -> UInt32 {
        UInt32(clamping: nanoseconds > origin ? (nanoseconds - origin) / 1_000_000 + 1 : 1)
    }

    func tell(_ device: Int, _ happening: @autoclosure () -> DeviceEvent.Happening) {
        guard let watch else { return }
        watch(DeviceEvent(device: device, time: MonotonicClock.now(), happening: happening()))
    }

    func count(end code: UInt16) { totals.ends[code, default: 0] += 1 }

    func count(refusal status: Int) { totals.refusals[status, default: 0] += 1 }

    func moved(from old: FleetDevice.Phase, to new: FleetDevice.Phase) {
        switch old {
        case .online: totals.online -= 1
        case .away: break
        default: totals.underWay -= 1
        }
        switch new {
        case .online:
            totals.online += 1
            totals.authentications += 1
        case .away: break
        default: totals.underWay += 1
        }
    }

    /// For jitter and masks only.
    func random(below bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }

    func nextMask() -> UInt32 { UInt32(truncatingIfNeeded: next()) }

    private func next() -> UInt64 {
        randomState ^= randomState << 13
        randomState ^= randomState >> 7
        randomState ^= randomState << 17
        return randomState
    }
}
