package import Domain
import Synchronization

/// Bad credentials per peer address: beyond the limit an address hears 429 instead of 401.
///
/// A good credential is always taken, so that one broken client behind a shared address locks out nobody. The
/// table is bounded: when it is full and nothing in it has run out, further addresses share one count.
package final class AuthenticationFailures: Sendable {
    package static let limit = 20
    package static let windowMilliseconds: Int64 = 60_000
    package static let capacity = 10_000
    private static let shared = "*"

    private struct Window {
        let since: Instant
        var count = 0
    }

    private let windows = Mutex<[String: Window]>([:])

    package init() {}

    /// Counts a failure; false: the address has passed its limit.
    package func record(_ address: String, at now: Instant) -> Bool {
        windows.withLock { windows in
            let address = Self.admit(address, &windows, now)
            var window = windows[address] ?? Window(since: now)
            if now - window.since >= Self.windowMilliseconds { window = Window(since: now) }
            window.count += 1
            windows[address] = window
            return window.count <= Self.limit
        }
    }

    private static func admit(
        _ address: String, _ windows: inout [String: Window], _ now: Instant
    ) -> String {
        guard windows[address] == nil, windows.count >= capacity else { return address }
        windows = windows.filter { now - $0.value.since < windowMilliseconds }
        return windows.count < capacity ? address : shared
    }

    package var count: Int { windows.withLock { $0.count } }
}
