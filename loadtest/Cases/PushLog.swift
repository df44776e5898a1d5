import Synchronization

/// What the providers received, followed by one task and looked at by many.
final class PushLog: Sendable {
    private static let lookMilliseconds = 100

    private let providers: any ProviderControl
    private let pushes = Mutex<[String: [ReceivedPush]]>([:])

    init(_ providers: any ProviderControl) { self.providers = providers }

    /// Follows the list until the task is cancelled.
    func follow() async {
        var last = 0
        while !Task.isCancelled {
            if let new = try? await providers.pushes(after: last), let newest = new.last {
                last = newest.sequence
                pushes.withLock { pushes in
                    for push in new { pushes[push.token, default: []].append(push) }
                }
            }
            try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
    }

    /// In the order of arrival, up to a moment ago.
    subscript(token: String) -> [ReceivedPush] { pushes.withLock { $0[token] ?? [] } }

    /// Waits until so many of these devices' pushes are as wanted; false if they are not in time.
    @discardableResult
    func awaits(
        _ count: Int, of devices: [LoadDevice], withinSeconds limit: Int = 10,
        where isWanted: (ReceivedPush) -> Bool
    ) async -> Bool {
        for _ in 0..<(limit * 1_000 / Self.lookMilliseconds) {
            let found = devices.reduce(0) { $0 + self[$1.token].count(where: isWanted) }
            if found >= count { return true }
            try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
        return false
    }
}
