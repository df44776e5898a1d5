/// An absolute `http` or `https` URL, cut into what a client needs. No user information, no fragment.
package struct HTTPURL: Equatable, Sendable {
    package let isSecure: Bool
    /// Without the brackets of an IPv6 address.
    package let host: String
    package let port: UInt16
    /// Path and query as they stand, at least `/`.
    package let target: String

    package init?(_ text: String) {
        let rest: Substring
        if text.hasPrefix("https://") {
            (isSecure, rest) = (true, text.dropFirst(8))
        } else if text.hasPrefix("http://") {
            (isSecure, rest) = (false, text.dropFirst(7))
        } else {
            return nil
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else { return nil }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let (host, port) = Self.authority(rest[..<end]) else { return nil }
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
        let tail = rest[end...]
        target = tail.hasPrefix("/") ? String(tail) : "/" + tail
    }

    /// As the `Host` field says it: the port only where it is not the scheme's.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    private static func authority(_ text: Substring) -> (String, UInt16?)? {
        guard !text.contains("@") else { return nil }
        var (host, tail) = (text, Substring())
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<close]
            tail = text[text.index(after: close)...]
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            tail = text[colon...]
        }
        guard !host.isEmpty else { return nil }
        guard !tail.isEmpty else { return (String(host), nil) }
        guard tail.first == ":", let port = port(tail.dropFirst()) else { return nil }
        return (String(host), port)
    }

    private static func port(_ digits: Substring) -> UInt16? {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(digits)
    }
}
