import Glibc

/// Where a command writes: lines for the reader, lines about trouble. A test passes its own.
struct Terminal: Sendable {
    let out: @Sendable (String) -> Void
    let err: @Sendable (String) -> Void

    /// The process's own outputs, each line by one write, so that lines of several threads do not mix.
    static let standard = Terminal(
        out: { Terminal.write($0, to: STDOUT_FILENO) }, err: { Terminal.write($0, to: STDERR_FILENO) })

    private static func write(_ line: String, to descriptor: Int32) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0 && errno == EINTR { continue }
            // Nobody reads any more: there is nobody to tell.
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
