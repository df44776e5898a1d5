/// The kernel's own list of TCP sockets: who is still connected, whatever the server says.
enum SocketTable {
    /// An IPv4 address and port as the kernel prints them.
    struct Endpoint: Hashable, Sendable {
        let host: String
        let port: Int

        init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// `0100007F:1F90`: the host's bytes in the order of this machine, little end first.
        init?(_ text: Substring) {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let host = UInt32(parts[0], radix: 16),
                let port = Int(parts[1], radix: 16)
            else { return nil }
            self.host = (0..<4).map { String(host >> (8 * $0) & 0xff) }.joined(separator: ".")
            self.port = port
        }
    }

    private static let established = "01"

    /// The peers of a local port's established connections, from the text of `/proc/net/tcp`.
    static func peers(ofLocalPort port: Int, in text: String) -> Set<Endpoint> {
        Set(
            text.split(separator: "\n").dropFirst().compactMap { line -> Endpoint? in
                let fields = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: true)
                guard fields.count > 3, fields[3] == established, Endpoint(fields[1])?.port == port else {
                    return nil
                }
                return Endpoint(fields[2])
            })
    }
}
