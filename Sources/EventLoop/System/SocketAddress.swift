/// Sixteen bytes in network order.
package struct IPv6Address: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 & 7))) }
    }
}

/// Where a stream socket listens or connects.
package enum SocketAddress: Hashable, Sendable {
    /// The host in host byte order.
    case ipv4(UInt32, port: UInt16)
    case ipv6(IPv6Address, port: UInt16, scope: UInt32)
    case unix(path: String)

    /// What `sockaddr_un` can hold, without its final zero.
    package static let maximumPathLength = 107

    /// 127.0.0.1 with this port; 0 lets the kernel choose when listening.
    package static func loopback(port: UInt16 = 0) -> SocketAddress { .ipv4(0x7f00_0001, port: port) }

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `*:8080`, `:8080` (every IPv4 address), `localhost:8080` or
    /// `unix:/path`; nil for anything else. Names are not looked up: that is the resolver's work.
    package init?(parsing text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, path.utf8.count <= Self.maximumPathLength, !path.utf8.contains(0) else {
                return nil
            }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard let port = UInt16(digits) else { return nil }
        self.init(host: String(text[..<colon]), port: port)
    }

    private init?(host: String, port: UInt16) {
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let address = System.parseIPv6(String(host.dropFirst().dropLast())) else { return nil }
            self = .ipv6(address, port: port, scope: 0)
            return
        }
        switch host {
        case "", "*": self = .ipv4(0, port: port)
        case "localhost": self = .loopback(port: port)
        default:
            guard let address = System.parseIPv4(host) else { return nil }
            self = .ipv4(address, port: port)
        }
    }

    /// Reads a bare address (`10.0.0.1`, `::1`, `[::1]`); nil for a name.
    package init?(numericHost host: String, port: UInt16) {
        if let address = System.parseIPv4(host) {
            self = .ipv4(address, port: port)
            return
        }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard let address = System.parseIPv6(bare) else { return nil }
        self = .ipv6(address, port: port, scope: 0)
    }

    /// Nil for a Unix socket.
    package var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port, _): port
        case .unix: nil
        }
    }

    func with(port: UInt16) -> SocketAddress {
        switch self {
        case .ipv4(let host, _): .ipv4(host, port: port)
        case .ipv6(let host, _, let scope): .ipv6(host, port: port, scope: scope)
        case .unix: self
        }
    }

    /// The host without port or brackets, as a key for per-peer limits.
    package var host: String {
        switch self {
        case .ipv4(let host, _): (0..<4).map { String(host >> (24 - 8 * $0) & 0xff) }.joined(separator: ".")
        case .ipv6(let host, _, _): System.text(of: host)
        case .unix: "unix"
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ipv4(_, let port): "\(host):\(port)"
        case .ipv6(_, let port, _): "[\(host)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension SocketAddress {
    /// Whether the address lies in the public Internet: not loopback, private, link-local,
    /// shared, documentation, multicast or reserved, also not one of those inside an IPv6
    /// transition form. What a URL supplied by a stranger may be resolved to.
    package var isGloballyReachable: Bool {
        switch self {
        case .ipv4(let host, _): Self.isGlobal(ipv4: host)
        case .ipv6(let host, _, _): Self.isGlobal(ipv6: host)
        case .unix: false
        }
    }

    private static let reservedIPv4: [(prefix: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16),
        (0xac10_0000, 12), (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16),
        (0xc612_0000, 15), (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 3),
    ]

    private static func isGlobal(ipv4 host: UInt32) -> Bool {
        !reservedIPv4.contains { host >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
    }

    private static func isGlobal(ipv6 host: IPv6Address) -> Bool {
        if host.high == 0x0064_ff9b_0000_0000, host.low >> 32 == 0 {
            return isGlobal(ipv4: UInt32(truncatingIfNeeded: host.low))
        }
        guard host.high >> 61 == 1 else { return false }  // only 2000::/3 is assigned for global use
        switch host.high >> 32 {
        case 0x2001_0db8: return false  // documentation
        case 0x2001_0000: return false  // Teredo
        default: break
        }
        if host.high >> 48 == 0x2002 { return isGlobal(ipv4: UInt32(truncatingIfNeeded: host.high >> 16)) }
        return host.high >> 41 != 0x2001_0000 >> 9  // 2001::/23, protocol assignments
    }
}
