import Glibc
import Synchronization

@testable import EventLoop
@testable import Store

/// The private Postgres that all tests of this process share, started by the first that asks.
enum TestCluster {
    /// For an answer of the database: long, since a machine may be slow; reached only by a test that fails.
    static let patience = 120_000

    static let directory: String = {
        removeLeftovers()
        return "/tmp/rouse-store-tests-\(getpid())"
    }()

    private static let running: Result<EmbeddedPostgres, EmbeddedPostgresError> = Result {
        () throws(EmbeddedPostgresError) in
        let cluster = try EmbeddedPostgres(directory: directory, isDurable: false)
        try cluster.start()
        return cluster
    }

    private static let template: Result<String, any Error> = Result {
        let name = "template_rouse"
        let admin = try BlockingSession(configuration("postgres"), timeoutMilliseconds: TestCluster.patience)
        try admin.run(script: "create database \(name)")
        _ = try Migrator(configuration(name)).migrate()
        return name
    }

    private static let lastDatabase = Atomic<Int>(0)

    static func configuration(_ database: String) throws -> PostgresConfiguration {
        guard case .socket(let directory, let user, _) = try running.get().endpoint else {
            preconditionFailure("the private cluster is on a socket")
        }
        var configuration = PostgresConfiguration(
            endpoint: .socket(directory: directory, user: user, database: database))
        configuration.neverTimeOut()
        return configuration
    }

    /// One migrated database for all tests that only look.
    static func migratedDatabase() throws -> PostgresConfiguration {
        try shared.get()
    }

    private static let shared = Result { try freshDatabase() }

    /// A database of its own for one test, with the schema if wanted.
    static func freshDatabase(migrated: Bool = true) throws -> PostgresConfiguration {
        let number = lastDatabase.add(1, ordering: .relaxed).newValue
        let source = migrated ? try template.get() : "template0"
        let admin = try BlockingSession(configuration("postgres"), timeoutMilliseconds: TestCluster.patience)
        try admin.run(script: "create database test_\(number) template \(source)")
        return try configuration("test_\(number)")
    }

    /// Directories of test processes that are gone: hundreds of megabytes, removed on the side.
    private static func removeLeftovers() {
        for path in LocalFiles.matches(of: "/tmp/rouse-store-tests-*") {
            guard let pid = path.split(separator: "-").last.flatMap({ pid_t($0) }), kill(pid, 0) != 0 else {
                continue
            }
            remove(path, afterSeconds: 0)
        }
        atexit { TestCluster.remove(TestCluster.directory, afterSeconds: 2) }
    }

    /// By a process of its own; Postgres, whose end follows ours, has that time to finish.
    private static func remove(_ path: String, afterSeconds seconds: Int) {
        _ = try? ChildProcess.spawn(
            ["/bin/sh", "-c", "sleep \(seconds); exec rm -rf -- '\(path)'"], output: "/dev/null")
    }
}

extension PostgresConfiguration {
    /// What a test holds open on purpose must not be ended because the machine is slow; a test about a
    /// time-out sets its own.
    fileprivate mutating func neverTimeOut() {
        connectTimeoutMilliseconds = TestCluster.patience
        batchTimeoutMilliseconds = TestCluster.patience
        statementTimeoutMilliseconds = 0
        idleInTransactionTimeoutMilliseconds = 0
    }
}
