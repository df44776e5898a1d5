import EventLoop
import Glibc
import Wire

/// Devices in a process and a network namespace of their own: can be frozen, killed, and told what to do.
final class DeviceProcess: Sendable {
    private static let readyMilliseconds = 30_000

    let child: Child
    private let output: String
    private let orders: Orders

    /// The pipe, shared by whoever holds the process.
    private final class Orders: Sendable {
        let pipe: OrderPipe
        init(_ path: String) throws(LoadtestFailure) { pipe = try OrderPipe(path: path) }
    }

    /// - Parameters:
    ///   - namespace: nil: our own.
    ///   - credentials: one for each device.
    ///   - words: further options of `rouse-loadtest device`.
    init(
        in namespace: String?, to server: SocketAddress, credentials: [String], _ words: [String],
        directory: String
    ) throws(LoadtestFailure) {
        let name = "\(directory)/device-\(SerialNumber.next())"
        try LocalFiles.write(Array(credentials.joined(separator: "\n").utf8), to: "\(name).tokens")
        orders = try Orders("\(name).orders")
        output = "\(name).out"
        let place = try namespace.map { namespace throws(LoadtestFailure) in
            guard let program = IPCommand.program else { throw LoadtestFailure("ip is not there") }
            return [program, "netns", "exec", namespace]
        }
        let command = [
            OwnProgram.path, "device", "--server", "\(server)", "--tokens", "\(name).tokens",
            "--ends-with-parent", "1",
        ]
        child = try Child(
            "a client", (place ?? []) + command + words, input: "\(name).orders", output: output)
    }

    func order(_ line: String) throws(LoadtestFailure) { try orders.pipe.write(line) }

    /// What has happened so far, an object each.
    var events: [JSONNode] {
        let bytes = LocalFiles.read(output) ?? []
        return bytes.split(separator: 0x0a).compactMap { line in
            line.first == UInt8(ascii: "{") ? (try? JSONDocument(parsing: Array(line)))?.root : nil
        }
    }

    func count(_ event: String) -> Int { events.count { $0["event"]?.string == event } }

    /// Returns when something has happened so many times.
    func reached(_ event: String, times: Int = 1) async throws(LoadtestFailure) {
        for _ in 0..<(Self.readyMilliseconds / 20) {
            if count(event) >= times { return }
            if child.ending != nil { break }
            try? await Task.sleep(for: .milliseconds(20))
        }
        let said = (LocalFiles.readText(output) ?? "").suffix(300)
        throw LoadtestFailure("the client has \(count(event)) × \(event), not \(times): \(said)")
    }

    /// Ends as a crash does.
    func kill() async throws(LoadtestFailure) {
        child.signal(SIGKILL)
        guard await child.ended(withinMilliseconds: 5_000) != nil else {
            throw LoadtestFailure("the client outlives kill -9")
        }
    }

    func freeze() { child.signal(SIGSTOP) }

    func thaw() { child.signal(SIGCONT) }
}

/// The file this program runs from: `/proc/self/exe` would be another's after `ip netns exec`.
enum OwnProgram {
    static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return "/proc/self/exe" }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()
}
