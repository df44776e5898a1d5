import EventLoop
import Synchronization

/// Notes when the server's kernel gives up each client's connection.
final class SocketWatch: Sendable {
    private struct Seen {
        var open: Set<SocketTable.Endpoint> = []
        var goneAt: [SocketTable.Endpoint: Int64] = [:]
    }

    private static let everyMilliseconds = 20
    private let seen = Mutex(Seen())

    /// Looks until its task is cancelled.
    func watch(port: Int) async {
        while !Task.isCancelled {
            let text = LocalFiles.readText("/proc/net/tcp") ?? ""
            note(SocketTable.peers(ofLocalPort: port, in: text), at: WallClock.now())
            try? await Task.sleep(for: .milliseconds(Self.everyMilliseconds))
        }
    }

    func note(_ open: Set<SocketTable.Endpoint>, at now: Int64) {
        seen.withLock { seen in
            for gone in seen.open.subtracting(open) { seen.goneAt[gone] = now }
            seen.open = open
        }
    }

    /// When the last connection from a host went, in milliseconds since 1970; nil while one is there.
    func goneAt(host: String) -> Int64? {
        seen.withLock { seen in
            guard !seen.open.contains(where: { $0.host == host }) else { return nil }
            return seen.goneAt.filter { $0.key.host == host }.map(\.value).max()
        }
    }

    /// How many connections of a host the kernel holds open.
    func openCount(host: String) -> Int { seen.withLock { $0.open.count { $0.host == host } } }
}
