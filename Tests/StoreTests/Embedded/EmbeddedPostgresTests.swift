import Domain
import Engine
import Glibc
import Synchronization
import Testing

@testable import EventLoop
@testable import Store

@Suite(.serialized) struct EmbeddedPostgresTests {
    private func cluster(
        _ name: String, _ changed: @escaping @Sendable (EmbeddedPostgres.State) -> Void = { _ in }
    ) throws -> EmbeddedPostgres {
        _ = try TestCluster.freshDatabase(migrated: false)
        return try EmbeddedPostgres(
            directory: "\(TestCluster.directory)/\(name)", isDurable: false, stateChanged: changed)
    }

    @Test func `it is made, stopped and started again with its data`() throws {
        let cluster = try cluster("again")
        try cluster.start()
        let configuration = PostgresConfiguration(endpoint: cluster.endpoint)
        try BlockingSession(configuration, timeoutMilliseconds: TestCluster.patience).run(
            script: "create table kept as select 42 as n")
        cluster.stop()
        #expect(cluster.state == .stopped)
        #expect(throws: DatabaseError.self) {
            _ = try BlockingSession(configuration, timeoutMilliseconds: TestCluster.patience)
        }
        try cluster.start()
        let session = try BlockingSession(configuration, timeoutMilliseconds: TestCluster.patience)
        #expect(try session.rows("select n from kept").first { $0.int4() } == 42)
        cluster.stop()
    }

    @Test func `it runs as an unprivileged user`() throws {
        let cluster = try cluster("user")
        try cluster.start()
        defer { cluster.stop() }
        guard case .running(let pid) = cluster.state else {
            Issue.record("it runs")
            return
        }
        let status = try String(decoding: LocalFiles.read("/proc/\(pid)/status") ?? [], as: UTF8.self)
        #expect(!status.contains("Uid:\t0"))
        #expect(status.contains("NoNewPrivs:\t1"))
        if geteuid() == 0 { #expect(status.contains("CapEff:\t0000000000000000")) }
    }

    @Test func `a second server on the directory is refused`() throws {
        let first = try cluster("shared")
        try first.start()
        defer { first.stop() }
        let second = try cluster("shared")
        #expect(throws: EmbeddedPostgresError.inUse(directory: "\(TestCluster.directory)/shared")) {
            try second.start()
        }
        #expect(first.state != .stopped)
    }

    @Test func `a killed Postgres is started again, and a pool recovers without a restart`() async throws {
        let log = StateLog()
        let cluster = try cluster("killed") { log.append($0) }
        try cluster.start()
        defer { cluster.stop() }
        let pool = PostgresPool(
            PostgresConfiguration(endpoint: cluster.endpoint), on: EventLoop(label: "test.killed"), size: 1)
        defer { pool.close() }
        let one = Query(name: "one", sql: "select 1")
        #expect(try await pool.execute(one).first { $0.int4() } == 1)
        guard case .running(let pid) = cluster.state else {
            Issue.record("it runs")
            return
        }
        kill(pid, SIGKILL)
        var failures: [DatabaseError] = []
        while true {
            do throws(DatabaseError) {
                let answer = try await pool.execute(one).first { $0.int4() }
                if case .running(let next) = cluster.state, next != pid {
                    #expect(answer == 1)
                    break
                }
            } catch { failures.append(error) }
        }
        #expect(
            failures.allSatisfy {
                switch $0 {
                case .unavailable, .connectionLost: true
                default: false
                }
            })
        #expect(log.all.contains(.restarting(afterMilliseconds: RestartPause.shortest)))
    }

    @Test func `a path that no socket can have is refused by its length`() throws {
        let long = "/tmp/" + String(repeating: "x", count: 100)
        #expect {
            _ = try EmbeddedPostgres(directory: long)
        } throws: { error in
            if case .socketPathTooLong? = error as? EmbeddedPostgresError { true } else { false }
        }
    }

    @Test func `no token is in clear in any file of the database`() async throws {
        let cluster = try cluster("sealed")
        try cluster.start()
        let configuration = PostgresConfiguration(endpoint: cluster.endpoint)
        _ = try Migrator(configuration).migrate()
        let fixture = try await ShardFixture(configuration)
        let shard = fixture.store()
        _ = try await shard.open().get()
        var changes = ChangeSet()
        changes.newUsers = [ShardFixture.user(10, "bob")]
        changes.devices = [ShardFixture.device(20, of: 10, "phone-of-bob")]
        changes.tokensAdded = [fixture.token(30, "token-in-clear", device: 20, of: 10)]
        #expect(await shard.commit(changes) == nil)
        changes.tokensAdded = [fixture.token(31, "token-in-clear", device: 20, of: 10)]
        changes.newUsers = []
        #expect(await shard.commit(changes) == .tokenTaken)
        shard.close()
        fixture.pool.close()
        cluster.stop()
        let files = "\(TestCluster.directory)/sealed"
        #expect(grep("token-in-clear", in: files) == 1)
        #expect(grep("phone-of-bob", in: files) == 0)
    }

    /// 0: found; 1: not found.
    private func grep(_ text: String, in directory: String) -> Int32? {
        try? ChildProcess.spawn(["/bin/grep", "-rqa", text, directory], output: "/dev/null").wait()
    }
}

private final class StateLog: Sendable {
    private let states = Mutex<[EmbeddedPostgres.State]>([])
    func append(_ state: EmbeddedPostgres.State) { states.withLock { $0.append(state) } }
    var all: [EmbeddedPostgres.State] { states.withLock { $0 } }
}

@Suite struct RestartPauseTests {
    @Test func `the pause doubles up to its maximum and falls back after a sound run`() {
        var pause = RestartPause()
        pause.started(at: 0)
        var pauses: [Int] = []
        for _ in 0..<9 { pauses.append(pause.ended(at: 10)) }
        #expect(pauses == [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
        pause.started(at: 1_000)
        #expect(pause.ended(at: 1_000 + RestartPause.soundRun) == 100)
    }
}
