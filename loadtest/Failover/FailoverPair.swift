import EventLoop
import Glibc
import Synchronization
import Wire

/// Two servers on one database, each with simulated providers of its own: who pushed is known.
final class FailoverPair: Sendable {
    static let leaseMilliseconds: Int64 = 5_000
    private static let standbyMilliseconds = 30_000

    let servers: [ServerProcess]
    let providers: [ProviderProcess]
    private let collections = [PushCollection(), PushCollection()]
    private let accepted = Mutex<Set<PushedMessage>>([])
    private let current = Mutex(0)
    private let loop: EventLoop

    /// - Parameter arguments: behind `rouse serve`, for both.
    static func start(
        program: String, directory: String, postgres: SharedPostgres, arguments: [String], on loop: EventLoop
    ) async throws -> FailoverPair {
        var servers: [ServerProcess] = []
        var providers: [ProviderProcess] = []
        for name in ["first", "second"] {
            let place = "\(directory)/\(name)-providers"
            try LocalFiles.makeDirectory(place)
            providers.append(
                try await ProviderProcess.start(in: place, keep: 5_000_000, strict: true, on: loop))
            var settings = ServerSettings()
            settings.name = name
            settings.databaseURL = postgres.url
            settings.arguments = arguments
            settings.limits = AuditWitness.limits
            servers.append(
                try await ServerProcess(
                    program: program, directory: directory, providers: providers[servers.count],
                    settings: settings, on: loop))
        }
        let pair = FailoverPair(servers, providers, loop)
        try await servers[0].start()
        try await pair.launchStandby(1)
        return pair
    }

    private init(_ servers: [ServerProcess], _ providers: [ProviderProcess], _ loop: EventLoop) {
        self.servers = servers
        self.providers = providers
        self.loop = loop
    }

    var ownerIndex: Int { current.withLock { $0 } }
    var standbyIndex: Int { 1 - ownerIndex }
    var owner: ServerProcess { servers[ownerIndex] }
    var standby: ServerProcess { servers[standbyIndex] }

    /// The standby has taken over: it is the owner from now on.
    func swap() { current.withLock { $0 = 1 - $0 } }

    func isReady(_ index: Int) async -> Bool {
        let answer = try? await WebCall.send(.get, "/readyz", to: servers[index].publicAddress, on: loop)
        return answer?.status == 200
    }

    /// Starts a server; returns when it says that it waits for the lease.
    func launchStandby(_ index: Int) async throws {
        try servers[index].launch()
        try await becomeStandby(index)
    }

    func becomeStandby(_ index: Int) async throws {
        for _ in 0..<(Self.standbyMilliseconds / 20) {
            if try await isStandby(index) { return }
            if servers[index].hasEnded { throw LoadtestFailure("a standby ended by itself") }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw LoadtestFailure("a standby does not say so in \(Self.standbyMilliseconds / 1_000) s")
    }

    func isStandby(_ index: Int) async throws -> Bool {
        guard
            let answer = try? await WebCall.send(
                .get, "/readyz", to: servers[index].publicAddress, on: loop)
        else { return false }
        return answer.status == 503 && String(decoding: answer.body, as: UTF8.self).contains("standby")
    }

    // MARK: Pushes

    /// Takes what the providers have got since.
    func collect() async throws {
        for (provider, collection) in zip(providers, collections) {
            let pushes = try await provider.pushes(after: collection.last)
            collection.add(pushes)
            let new = pushes.filter(\.isAcceptedAlert).map {
                PushedMessage(token: $0.token, message: $0.messageID)
            }
            accepted.withLock { $0.formUnion(new) }
        }
    }

    /// What was told to whom, as far as it was collected.
    var told: Set<PushedMessage> { accepted.withLock { $0 } }

    /// Everything both providers ever got, by token.
    var pushes: [String: [ReceivedPush]] {
        collections[0].byToken.merging(collections[1].byToken) { $0 + $1 }
    }

    /// What one server's provider ever got.
    func received(by index: Int) -> Int { collections[index].byToken.values.reduce(0) { $0 + $1.count } }
}

/// A message as one device is, or has to be, told of it.
struct PushedMessage: Hashable, Sendable {
    let token: String
    let message: String
}
