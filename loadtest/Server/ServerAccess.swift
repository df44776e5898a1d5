import EventLoop

/// Where a server listens, and what opens its admin interface.
protocol ServerAccess: Sendable {
    var publicAddress: SocketAddress { get }
    var adminAddress: SocketAddress { get }
    var adminToken: String { get }
}

/// A server that somebody else started.
struct GivenServer: ServerAccess {
    let publicAddress: SocketAddress
    let adminAddress: SocketAddress
    let adminToken: String

    /// `http://HOST:PORT` or `HOST:PORT`, with a numeric host.
    static func address(_ text: String, of option: String) throws(UsageFailure) -> SocketAddress {
        var rest = text[...]
        if rest.hasPrefix("http://") { rest = rest.dropFirst(7) }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.hasPrefix("https:"), let address = SocketAddress(parsing: String(rest)) else {
            throw UsageFailure("option --\(option) needs http://HOST:PORT with a numeric host")
        }
        return address
    }
}
