import Testing

@testable import Store

@Suite struct MigratorTests {
    private let first = Migration(
        number: 1, name: "first", sql: "create table a (n int); create table b (n int)")
    private let second = Migration(number: 2, name: "second", sql: "alter table a add column m int")

    @Test func `what is missing is applied once, in order`() throws {
        let configuration = try TestCluster.freshDatabase(migrated: false)
        #expect(try Migrator(configuration, migrations: [first]).migrate() == [first])
        #expect(try Migrator(configuration, migrations: [first, second]).migrate() == [second])
        #expect(try Migrator(configuration, migrations: [first, second]).migrate() == [])
    }

    @Test func `a failing step leaves nothing behind`() throws {
        let configuration = try TestCluster.freshDatabase(migrated: false)
        let broken = Migration(number: 2, name: "broken", sql: "create table c (n int); select 1 / 0")
        #expect {
            _ = try Migrator(configuration, migrations: [first, broken]).migrate()
        } throws: { error in
            if case .failed(2, "broken", .refused)? = error as? MigrationError { true } else { false }
        }
        let states = try Migrator(configuration, migrations: [first, broken]).status().map(\.state)
        #expect(states == [.applied, .pending])
    }

    @Test func `a step with another text, and a database of a newer program, are refused`() throws {
        let configuration = try TestCluster.freshDatabase(migrated: false)
        _ = try Migrator(configuration, migrations: [first, second]).migrate()
        let changed = Migration(number: 1, name: "first", sql: "create table other ()")
        #expect(throws: MigrationError.changed(number: 1, name: "first")) {
            _ = try Migrator(configuration, migrations: [changed, second]).migrate()
        }
        #expect(throws: MigrationError.databaseIsNewer(number: 2, name: "second")) {
            _ = try Migrator(configuration, migrations: [first]).migrate()
        }
        let status = try Migrator(configuration, migrations: [changed]).status()
        #expect(status.map(\.state) == [.changed, .unknown])
    }

    @Test func `an untouched database has everything pending`() throws {
        let configuration = try TestCluster.freshDatabase(migrated: false)
        let status = try Migrator(configuration).status()
        #expect(!status.isEmpty)
        #expect(status.allSatisfy { $0.state == .pending })
    }
}
