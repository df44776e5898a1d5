import Glibc
import Synchronization

/// Real kernel networks for the clients of a run: a namespace each, with a link that can be cut.
///
/// Everything is removed with the run, also after ^C or a failure; what a run that was killed has left behind
/// is removed at the start of the next.
final class NetworkLab: Sendable {
    let addresses: LabAddresses
    private let directory: String
    private let made = Mutex<[Int]>([])

    /// - Precondition: root.
    static func make(directory: String) async throws(LoadtestFailure) -> NetworkLab {
        guard geteuid() == 0 else {
            throw LoadtestFailure("this needs root: it makes network namespaces and cuts their links")
        }
        await removeLeftovers()
        let routes = LocalFiles.readText("/proc/net/route") ?? ""
        guard let subnet = LabAddresses.freeSubnet(pid: getpid(), routes: routes) else {
            throw LoadtestFailure("no network of 10.64.0.0 to 10.191.0.0 is free")
        }
        let lab = NetworkLab(LabAddresses(pid: getpid(), subnet: subnet), directory: directory)
        Cleanup.undo { await lab.remove() }
        try await IPCommand.run(lab.addresses.beginning, directory: directory)
        return lab
    }

    private init(_ addresses: LabAddresses, directory: String) {
        self.addresses = addresses
        self.directory = directory
    }

    /// - Parameter number: from 1, no two alike.
    func addBridged(_ number: Int) async throws(LoadtestFailure) {
        try await add(number, addresses.adding(bridged: number))
    }

    func addWired(_ number: Int) async throws(LoadtestFailure) {
        try await add(number, addresses.adding(wired: number))
    }

    private func add(_ number: Int, _ lines: (host: [String], inside: [String]))
        async throws(LoadtestFailure)
    {
        precondition((1...LabAddresses.limit).contains(number))
        made.withLock { $0.append(number) }
        try await IPCommand.run(lines.host, directory: directory)
        try await IPCommand.run(lines.inside, in: addresses.namespace(number), directory: directory)
    }

    /// Nothing passes any more, and nobody is told: neither FIN nor RST.
    func cut(_ number: Int) async throws(LoadtestFailure) {
        try await IPCommand.run(["link set \(addresses.link(number)) down"], directory: directory)
    }

    /// What the server's side can lose while the client still believes in its connection.
    enum Loss: String, CaseIterable, Sendable {
        /// The interface goes down, and its route with it.
        case interface = "interface down"
        /// The route is gone, the interface stays.
        case route = "route removed"
        /// The neighbour is somewhere else: frames go where nobody takes them.
        case neighbour = "neighbour lost"
    }

    func lose(_ loss: Loss, _ number: Int) async throws(LoadtestFailure) {
        let (link, host) = (addresses.link(number), addresses.wired(number))
        let line =
            switch loss {
            case .interface: "link set \(link) down"
            case .route: "route del \(host)/32 dev \(link)"
            case .neighbour: "neigh replace \(host) lladdr 02:00:00:00:0b:ad dev \(link) nud permanent"
            }
        try await IPCommand.run([line], directory: directory)
    }

    private func remove() async {
        let numbers = made.withLock { $0 }
        await IPCommand.attempt(addresses.ending(numbers))
    }

    private static func removeLeftovers() async {
        let namespaces = LocalFiles.names(in: "/run/netns")
        let links = LocalFiles.names(in: "/sys/class/net")
        let words =
            links.filter { isDead(LabAddresses.owner(ofLink: $0)) }.map { "link del \($0)" }
            + namespaces.filter { isDead(LabAddresses.owner(ofNamespace: $0)) }.map { "netns del \($0)" }
            + LabAddresses.coveringRoutes(in: LocalFiles.readText("/proc/net/route") ?? "")
            .filter { isDead($0.owner) }.map { "route del \($0.route)" }
        guard !words.isEmpty else { return }
        Progress.say("removes the network that a run which was killed has left behind")
        await IPCommand.attempt(words)
    }

    private static func isDead(_ pid: Int32?) -> Bool {
        guard let pid else { return false }
        return kill(pid, 0) != 0 && errno == ESRCH
    }
}
