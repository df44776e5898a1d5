import EventLoop
import Wire

/// The reference client: `h2load` of nghttp2, with requests of the same count and size to the same provider.
struct H2Load: Sendable {
    struct Result: Sendable {
        let cpuMicroseconds: Double
        let perSecond: Double
    }

    private static let distinctTokens = 10_000

    let directory: String
    let payload: [UInt8]

    /// - Throws: if it is not installed, fails, or not every request is answered 200.
    func run(url: String, pushes: Int, streams: Int) async throws(LoadtestFailure) -> Result {
        let (body, urls) = ("\(directory)/h2load-body", "\(directory)/h2load-urls")
        let output = "\(directory)/h2load-\(MonotonicClock.now()).out"
        try LocalFiles.write(payload, to: body)
        let lines = (0..<min(pushes, Self.distinctTokens)).map { "\(url)/3/device/\(LoadTenant.token($0))\n" }
        try LocalFiles.write(Array(lines.joined().utf8), to: urls)
        let child = try Child(
            "h2load",
            ["h2load", "-t1", "-c1", "-n\(pushes)", "-m\(streams)", "-d", body, "-i", urls] + headers,
            output: output)
        guard let ending = await child.ended(withinMilliseconds: 300_000) else {
            throw LoadtestFailure("h2load does not end")
        }
        return try Self.read(LocalFiles.readText(output) ?? "", ending, pushes)
    }

    /// The fields of our own requests, none of them changing.
    private var headers: [String] {
        [
            "authorization: bearer \(String(repeating: "t", count: 180))", "apns-push-type: alert",
            "apns-topic: \(LoadTenant.topic)", "apns-priority: 10",
            "apns-id: 6a1f2b0c-8d5e-5f00-9a77-001122334455", "apns-expiration: 1796025600",
            "apns-collapse-id: 0123456789abcdef0123456789abcdef",
        ].flatMap { ["-H", $0] }
    }

    /// Reads `finished in 1.23s, 81234.56 req/s` and `status codes: 100000 2xx`.
    static func read(_ output: String, _ ending: Child.Ending, _ pushes: Int) throws(LoadtestFailure)
        -> Result
    {
        let lines = output.split(separator: "\n")
        let finished = lines.first { $0.hasPrefix("finished in ") }?.split(separator: " ")
        let succeeded = lines.first { $0.hasPrefix("status codes: ") }?.split(separator: " ")
        guard ending.code == 0, let finished, finished.count > 3, let rate = Double(finished[3]),
            let succeeded, succeeded.count > 2, Int(succeeded[2]) == pushes
        else {
            throw LoadtestFailure("h2load (Debian: nghttp2-client) failed, code \(ending.code):\n\(output)")
        }
        return Result(cpuMicroseconds: ending.cpuSeconds * 1e6 / Double(pushes), perSecond: rate)
    }
}
