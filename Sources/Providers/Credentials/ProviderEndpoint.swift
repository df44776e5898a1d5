/// An https URL taken apart: where to connect and what to ask for.
package struct ProviderEndpoint: Hashable, Sendable {
    package let host: String
    package let port: UInt16
    /// Begins with "/".
    package let path: String

    /// Nil unless it is `https://host[:port][/path]` without user, query and fragment.
    package init?(_ url: String) {
        guard url.hasPrefix("https://"), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !url.contains(where: { "@?#\\".contains($0) })
        else { return nil }
        let rest = url.dropFirst("https://".count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        path = slash == rest.endIndex ? "/" : String(rest[slash...])
        guard let (host, port) = Self.split(rest[..<slash]) else { return nil }
        self.host = host
        self.port = port
    }

    /// `host` or `host:port`, as `:authority` wants it.
    package var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? host : "\(host):\(port)"
    }

    private static func split(_ authority: Substring) -> (host: String, port: UInt16)? {
        var host = authority
        var port = Substring("443")
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let after = authority[authority.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { return nil }
            if !after.isEmpty { port = after.dropFirst() }
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty, let number = UInt16(port), number > 0 else { return nil }
        return (String(host), number)
    }
}
