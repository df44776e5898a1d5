/// The names and addresses of one run's network: they hold the process id, so that two runs never meet.
///
/// `10.S.0.1` is the server's. A client behind the bridge is in `10.S.1.0/24`, one with a wire of its own
/// in `10.S.128.0/24`.
struct LabAddresses: Equatable, Sendable {
    static let namespacePrefix = "rouse-lt-"
    static let linkPrefix = "rlt"
    private static let metricBase = 1_000_000_000
    /// How many namespaces of each kind the addresses are good for.
    static let limit = 200

    let pid: Int32
    /// The second number of each address.
    let subnet: Int

    init(pid: Int32, subnet: Int) {
        self.pid = pid
        self.subnet = subnet
    }

    var server: String { "10.\(subnet).0.1" }
    var whole: String { "10.\(subnet).0.0/16" }
    /// Lies behind all others; its metric names the process.
    var coveringRoute: String { "unreachable \(whole) metric \(Self.metricBase + Int(pid))" }
    var bridge: String { "\(Self.linkPrefix)\(pid)br" }
    /// The two ends that keep the bridge's carrier while every client's link is cut.
    var carrier: (inside: String, outside: String) {
        ("\(Self.linkPrefix)\(pid)ka", "\(Self.linkPrefix)\(pid)kb")
    }

    func namespace(_ number: Int) -> String { "\(Self.namespacePrefix)\(pid)-\(number)" }
    /// The host's end of a client's link.
    func link(_ number: Int) -> String { "\(Self.linkPrefix)\(pid)v\(number)" }
    /// The end in the namespace.
    func peer(_ number: Int) -> String { "\(Self.linkPrefix)\(pid)w\(number)" }
    func bridged(_ number: Int) -> String { "10.\(subnet).1.\(number)" }
    func wired(_ number: Int) -> String { "10.\(subnet).128.\(number)" }

    // MARK: What `ip` is told

    /// Nothing for our addresses ever leaves through a route of the machine's own.
    var beginning: [String] {
        [
            "route add \(coveringRoute)",
            "link add \(bridge) type bridge",
            "link add \(carrier.inside) type veth peer name \(carrier.outside)",
            "link set \(carrier.inside) master \(bridge)",
            "link set \(carrier.inside) up",
            "link set \(carrier.outside) up",
            "link set \(bridge) up",
            "addr add \(server)/17 dev \(bridge)",
        ]
    }

    /// A namespace whose link goes through the bridge: the server keeps its carrier when the link is cut.
    func adding(bridged number: Int) -> (host: [String], inside: [String]) {
        let host = linking(number) + ["link set \(link(number)) master \(bridge)"] + raising(number)
        return (host, waking(number) + ["addr add \(bridged(number))/17 dev \(peer(number))"])
    }

    /// A namespace with a wire and a route of its own at the server's side, to be lost there.
    func adding(wired number: Int) -> (host: [String], inside: [String]) {
        let host = linking(number) + raising(number) + ["route add \(wired(number))/32 dev \(link(number))"]
        let inside = [
            "addr add \(wired(number))/32 dev \(peer(number))", "route add \(server)/32 dev \(peer(number))",
        ]
        return (host, waking(number) + inside)
    }

    private func linking(_ number: Int) -> [String] {
        [
            "netns add \(namespace(number))",
            "link add \(link(number)) type veth peer name \(peer(number)) netns \(namespace(number))",
        ]
    }

    private func raising(_ number: Int) -> [String] { ["link set \(link(number)) up"] }

    private func waking(_ number: Int) -> [String] { ["link set lo up", "link set \(peer(number)) up"] }

    /// The link goes with either of its ends, but with a namespace only some time after it.
    func ending(_ numbers: some Sequence<Int>) -> [String] {
        numbers.flatMap { ["link del \(link($0))", "netns del \(namespace($0))"] } + [
            "link del \(bridge)", "link del \(carrier.inside)",
            "route del \(coveringRoute)",
        ]
    }

    // MARK: Leftovers

    /// The process a namespace's name tells of; nil for a name of somebody else.
    static func owner(ofNamespace name: String) -> Int32? { number(in: name, after: namespacePrefix) }

    /// The process an interface's name tells of; nil for a name of somebody else.
    static func owner(ofLink name: String) -> Int32? { number(in: name, after: linkPrefix) }

    private static func number(in name: String, after prefix: String) -> Int32? {
        guard name.hasPrefix(prefix) else { return nil }
        return Int32(name.dropFirst(prefix.count).prefix { $0.isNumber })
    }

    /// The covering routes of other processes, as `ip` names them, from the text of `/proc/net/route`.
    static func coveringRoutes(in routes: String) -> [(owner: Int32, route: String)] {
        routes.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t").map { $0.filter { $0 != " " } }
            guard fields.count > 6, let host = UInt32(fields[1], radix: 16), host & 0xff == 10,
                let metric = Int(fields[6]), let pid = Int32(exactly: metric - metricBase), pid > 0
            else { return nil }
            return (pid, LabAddresses(pid: pid, subnet: Int(host >> 8 & 0xff)).coveringRoute)
        }
    }

    /// A subnet that no route of the machine touches: the routing table as `/proc/net/route` has it.
    static func freeSubnet(pid: Int32, routes: String) -> Int? {
        let taken = Set(
            routes.split(separator: "\n").dropFirst().compactMap { line -> Int? in
                let fields = line.split(separator: "\t")
                guard fields.count > 1, let host = UInt32(fields[1], radix: 16), host & 0xff == 10 else {
                    return nil
                }
                return Int(host >> 8 & 0xff)
            })
        return (0..<128).map { 64 + (Int(pid) + $0) % 128 }.first { !taken.contains($0) }
    }
}
