import Wire

/// Brings a database to the schema of this program: forward only, each step in a transaction of its own.
///
/// Blocks; several programs may start at once, an advisory lock lets one through at a time.
package struct Migrator: Sendable {
    /// "rouse" in ASCII, as a number: the key of the advisory lock.
    private static let lockKey: Int64 = 0x72_6f_75_73_65
    private static let timeoutMilliseconds = 600_000

    private let configuration: PostgresConfiguration
    private let migrations: [Migration]

    package init(_ configuration: PostgresConfiguration, migrations: [Migration] = Migration.all) {
        var configuration = configuration
        configuration.statementTimeoutMilliseconds = 0
        configuration.idleInTransactionTimeoutMilliseconds = 0
        self.configuration = configuration
        self.migrations = migrations
    }

    /// Applies what is missing and answers with it.
    ///
    /// Nothing is applied to a database that has a step of another text, or one this program does not know.
    package func migrate() throws(MigrationError) -> [Migration] {
        try withSession { session throws(MigrationError) in
            try session.attempt(Self.createTable)
            try session.attempt("select pg_advisory_lock(\(Self.lockKey))")
            let applied = try session.applied()
            try check(applied)
            let missing = migrations.filter { migration in !applied.contains { $0.number == migration.number }
            }
            for migration in missing { try apply(migration, in: session) }
            return missing
        }
    }

    /// What this program knows and what the database has, by number; changes nothing.
    package func status() throws(MigrationError) -> [MigrationStatus] {
        try withSession { session throws(MigrationError) in
            let applied = try session.hasTable() ? session.applied() : []
            let known = migrations.map { migration in
                let former = applied.first { $0.number == migration.number }
                let state: MigrationStatus.State =
                    switch former {
                    case nil: .pending
                    case let former?: former.checksum == migration.checksum ? .applied : .changed
                    }
                return MigrationStatus(number: migration.number, name: migration.name, state: state)
            }
            let unknown = applied.filter { row in !migrations.contains { $0.number == row.number } }
                .map { MigrationStatus(number: $0.number, name: $0.name, state: .unknown) }
            return (known + unknown).sorted { $0.number < $1.number }
        }
    }

    private func check(_ applied: [AppliedMigration]) throws(MigrationError) {
        for row in applied {
            guard let migration = migrations.first(where: { $0.number == row.number }) else {
                throw .databaseIsNewer(number: row.number, name: row.name)
            }
            guard migration.checksum == row.checksum else {
                throw .changed(number: row.number, name: migration.name)
            }
        }
    }

    private func apply(
        _ migration: Migration, in session: borrowing BlockingSession
    ) throws(MigrationError) {
        let record = """
            insert into schema_migration (number, name, checksum)
            values (\(migration.number), '\(migration.name)', '\(migration.checksum)')
            """
        do throws(DatabaseError) {
            try session.run(script: "begin;\n\(migration.sql);\n\(record);\ncommit;")
        } catch {
            throw .failed(number: migration.number, name: migration.name, error)
        }
    }

    private func withSession<Value>(
        _ work: (borrowing BlockingSession) throws(MigrationError) -> Value
    ) throws(MigrationError) -> Value {
        let session: BlockingSession
        do throws(DatabaseError) {
            session = try BlockingSession(configuration, timeoutMilliseconds: Self.timeoutMilliseconds)
        } catch { throw .database(error) }
        return try work(session)
    }

    private static let createTable = """
        create table if not exists schema_migration (
            number     integer primary key,
            name       text not null,
            checksum   text not null,
            applied_at timestamptz not null default now()
        )
        """
}

/// A step that the database has had.
struct AppliedMigration {
    let number: Int
    let name: String
    let checksum: String
}

extension Migration {
    /// SHA-256 of the text, in hex.
    var checksum: String { Hex.encode(SHA256.hash(Array(sql.utf8))) }
}

extension BlockingSession {
    fileprivate func attempt(_ script: String) throws(MigrationError) {
        do throws(DatabaseError) { try run(script: script) } catch { throw .database(error) }
    }

    fileprivate func hasTable() throws(MigrationError) -> Bool {
        do throws(DatabaseError) {
            return try rows("select to_regclass('schema_migration') is not null").first { $0.bool() } ?? false
        } catch { throw .database(error) }
    }

    fileprivate func applied() throws(MigrationError) -> [AppliedMigration] {
        do throws(DatabaseError) {
            return try rows("select number, name, checksum from schema_migration order by number").map {
                row in
                AppliedMigration(number: Int(row.int4()), name: row.text(), checksum: row.text())
            }
        } catch { throw .database(error) }
    }
}
