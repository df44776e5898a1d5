import Glibc

/// Runs `ip` of iproute2, which alone makes namespaces and links.
enum IPCommand {
    private static let places = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"]
    private static let limitMilliseconds = 20_000

    static var program: String? { places.first { LocalFiles.exists($0) } }

    /// Runs the lines one after the other; the first that fails ends it, and what `ip` said is the failure.
    ///
    /// - Parameter namespace: nil: our own.
    static func run(_ lines: [String], in namespace: String? = nil, directory: String)
        async throws(LoadtestFailure)
    {
        guard let program else { throw LoadtestFailure("ip is not there: install iproute2") }
        let name = "\(directory)/ip-\(namespace ?? "host")-\(SerialNumber.next())"
        try LocalFiles.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: name)
        let place = namespace.map { ["-n", $0] } ?? []
        let child = try Child(
            "ip", [program] + place + ["-batch", name], output: "\(name).out", endsWithRun: false)
        guard let ending = await child.ended(withinMilliseconds: limitMilliseconds) else {
            child.signal(SIGKILL)
            throw LoadtestFailure("ip does not end: \(lines.joined(separator: "; "))")
        }
        guard ending.code == 0 else {
            let said = LocalFiles.readText("\(name).out") ?? ""
            throw LoadtestFailure("ip fails: \(said.split(separator: "\n").joined(separator: " "))")
        }
    }

    /// Each line for itself, whatever becomes of the others: for cleaning up.
    static func attempt(_ lines: [String]) async {
        guard let program else { return }
        for line in lines {
            let words = line.split(separator: " ").map { String($0) }
            let child = try? Child("ip", [program] + words, output: "/dev/null", endsWithRun: false)
            _ = await child?.ended(withinMilliseconds: limitMilliseconds)
        }
    }
}
