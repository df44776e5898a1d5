import EventLoop
import Simulator
import Synchronization
import Testing
import Wire

@testable import Rouse

/// What the server promised before it was killed is kept by the one that is started after it.
@Suite struct CrashTests {
    private static let tablet = DemoTenant.tabletToken
    private static let user = DemoTenant.user

    @Test func `every acknowledged message survives kill -9 and is pushed under one id`() async throws {
        let directory = try FreshDirectory.make()
        defer { FreshDirectory.remove(directory) }
        let silent = PushPrinter(terminal: Terminal(out: { _ in }, err: { _ in }), form: .none)
        let providers = try SimulatedProviders(
            providersAddress: "127.0.0.1:0", controlAddress: "127.0.0.1:0",
            group: EventLoopGroup(count: 1, label: "simulator"), onPush: silent.print)
        let config = try write(directory, providers)

        let first = try await ServerProcess.start(config: config, log: "\(directory)/first.log")
        // Its own name, and the allocator's settings that it gave itself.
        #expect(try first.processFile("comm") == "rouse\n")
        #expect(try first.processFile("environ").contains("GLIBC_TUNABLES=glibc.malloc.tcache_count="))
        let client = try await prepare(first, directory, providers, former: ClientFile())
        let acknowledged = Mutex<[String]>([])
        let stream = Task {
            await send(to: first.server, client) { id in acknowledged.withLock { $0.append(id) } }
        }
        _ = try await Patience.until("20 acknowledged messages") {
            acknowledged.withLock { $0.count } >= 20 ? true : nil
        }
        first.kill()
        await stream.value
        let promised = acknowledged.withLock { $0 }

        let second = try await ServerProcess.start(config: config, log: "\(directory)/second.log")
        _ = try await prepare(second, directory, providers, former: client)
        let kept = try await mailbox(second.server, client)
        #expect(Set(promised).isSubset(of: kept))
        let pushes = try await Patience.until("a push for each message") {
            let pushes = providers.simulator.pushes(token: Self.tablet)
            let pushed = Set(pushes.compactMap { $0.payload?["rouse"]?["message_id"]?.string })
            return Set(promised).isSubset(of: pushed) ? pushes : nil
        }
        // A repeat after the crash carries the id of the first attempt: the device shows one notification.
        let ids = Dictionary(grouping: pushes) { $0.payload?["rouse"]?["message_id"]?.string ?? "" }
        for (message, pushes) in ids { #expect(Set(pushes.map(\.apnsID)).count == 1, "\(message)") }
        let badge = try await backend(second.server, client).json(.get, "/v1/users/\(Self.user)/badge")
        #expect(badge["total_unread"]?.integer == Int64(kept.count))
        #expect(second.stop() == 0)
        await providers.close()
    }

    private func write(_ directory: String, _ providers: SimulatedProviders) throws -> String {
        let authority = "\(directory)/ca.pem"
        try LocalFile.writePrivately(Array(providers.authorityPEM.utf8), to: authority)
        let text = """
            {
              public: {listen: "127.0.0.1:0"},
              admin: {listen: "127.0.0.1:0", token_file: "\(directory)/admin.token"},
              database: {embedded: {directory: "\(directory)/db"}},
              master_key_file: "\(directory)/master.key",
              providers: {
                apns: {production_url: "\(providers.url)", sandbox_url: "\(providers.url)",
                       ca_file: "\(authority)"},
                fcm: {url: "\(providers.url)", ca_file: "\(authority)"},
              },
              policy: {push_rate_per_user_per_min: 100000, push_rate_per_conversation_per_min: 100000},
            }
            """
        let path = "\(directory)/rouse.json5"
        try LocalFile.writePrivately(Array(text.utf8), to: path)
        return path
    }

    /// The demo tenant, once the server is ready.
    private func prepare(
        _ process: ServerProcess, _ directory: String, _ providers: SimulatedProviders, former: ClientFile
    ) async throws -> ClientFile {
        let token = try LocalFile.readText("\(directory)/admin.token")
        let admin = APIClient(
            address: process.admin, tls: nil, bearer: token, loop: EventLoop(label: "operator"))
        _ = try await Patience.until("a server that is ready") {
            try await admin.call(.get, "/readyz").status == 200 ? true : nil
        }
        let tenant = DemoTenant(admin: admin, providers: providers, former: former)
        return try await tenant.prepare(server: process.server)
    }

    /// A message after the other, each in a conversation of its own, until the server is gone.
    private func send(
        to server: WebAddress, _ client: ClientFile, acknowledged: @Sendable (String) -> Void
    ) async {
        let backend = backend(server, client)
        for number in 1...10_000 {
            let id = "crash-\(number)"
            let words = ["--to", Self.user, "--id", id, "--conversation", "c-\(number)", "hello"]
            guard let draft = try? MessageDraft(Arguments(words, of: Commands.send)),
                let answer = try? await backend.call(.post, "/v1/messages", draft.bytes)
            else { return }
            if answer.status == 202 { acknowledged(id) }
        }
    }

    private func mailbox(_ server: WebAddress, _ client: ClientFile) async throws -> Set<String> {
        let key = try #require(client.clientKey)
        let credential = try key.credential(
            user: Self.user, device: DemoTenant.tablet, now: WallClock.now() / 1_000)
        let device = APIClient(
            address: server, tls: nil, bearer: credential, loop: EventLoop(label: "tablet"))
        var found: [String] = []
        while true {
            let page = try await device.json(.get, "/v1/mailbox?after=\(found.count)&limit=200")
            found += page["entries"]?.elements.compactMap { $0["message_id"]?.string } ?? []
            guard page["has_more"]?.bool == true else { break }
        }
        #expect(Set(found).count == found.count)
        return Set(found)
    }

    private func backend(_ server: WebAddress, _ client: ClientFile) -> APIClient {
        APIClient(address: server, tls: nil, bearer: client.apiKey, loop: EventLoop(label: "backend"))
    }
}
