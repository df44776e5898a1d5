/// The scheme, host and port of an http or https URL; paths are added by those who call.
struct WebAddress: Equatable, Sendable, CustomStringConvertible {
    let isSecure: Bool
    let host: String
    let port: UInt16

    /// Nil for another scheme, a missing host, a bad port, user names, or a path.
    init?(parsing url: String) {
        let rest: Substring
        if url.hasPrefix("https://") {
            isSecure = true
            rest = url.dropFirst(8)
        } else if url.hasPrefix("http://") {
            isSecure = false
            rest = url.dropFirst(7)
        } else {
            return nil
        }
        let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
        guard !authority.contains(where: { "/@?# ".contains($0) }) else { return nil }
        let bracketEnd = authority.lastIndex(of: "]")
        let colon = authority.lastIndex(of: ":").flatMap { colon in
            bracketEnd.map { colon > $0 } ?? true ? colon : nil
        }
        if let colon {
            guard let port = UInt16(authority[authority.index(after: colon)...]) else { return nil }
            self.port = port
            host = String(authority[..<colon])
        } else {
            port = isSecure ? 443 : 80
            host = String(authority)
        }
        guard !host.isEmpty else { return nil }
    }

    /// What the `Host` field says.
    var authority: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    var description: String { "\(isSecure ? "https" : "http")://\(host):\(port)" }
}
