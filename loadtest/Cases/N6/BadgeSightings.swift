import EventLoop
import Synchronization
import Wire

/// What the devices of a fleet are shown of their badges, with the time of day; gathered from its loops.
final class BadgeSightings: Sendable {
    struct Seen: Sendable {
        /// By BADGE_UPDATE and AUTH_OK.
        var shown: [N6Checker.Sample] = []
        /// When connections ended.
        var left: [Int64] = []
        var errors: [String] = []
    }

    private let seen: Mutex<[Seen]>
    /// From the boot clock to the time of day, in milliseconds.
    private let offset = WallClock.now() - Int64(MonotonicClock.now() / 1_000_000)

    init(devices: Int) { seen = Mutex(Array(repeating: Seen(), count: devices)) }

    /// For the fleet.
    func take(_ event: DeviceEvent) {
        let at = Int64(event.time / 1_000_000) + offset
        switch event.happening {
        case .authenticated(let welcome):
            guard let badge = welcome.badge else {
                return note(event.device) { $0.errors.append("AUTH_OK without badge") }
            }
            note(event.device) { $0.shown.append(N6Checker.Sample(source: .welcome, badge: badge, at: at)) }
        case .badge(let badge):
            note(event.device) {
                $0.shown.append(N6Checker.Sample(source: .badgeUpdate, badge: badge, at: at))
            }
        case .ended: note(event.device) { $0.left.append(at) }
        case .error(let code, let detail): note(event.device) { $0.errors.append("\(code): \(detail)") }
        case .refused(let status, let reason):
            note(event.device) { $0.errors.append("refused with \(status): \(reason)") }
        case .entry, .applied, .call, .other: break
        }
    }

    private func note(_ device: Int, _ change: (inout Seen) -> Void) {
        seen.withLock { change(&$0[device]) }
    }

    var all: [Seen] { seen.withLock { $0 } }
}
