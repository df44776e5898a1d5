import Domain
import EventLoop
import Store

/// What this Postgres can do at best, asked over one session while the server idles.
struct PostgresReference: Sendable {
    /// One row in one transaction, until it is on the disk.
    let commitMicroseconds: Double
    /// Rows inserted by the thousand, then deleted by the thousand, each batch a transaction: pairs a second.
    let insertDeletePerSecond: Double

    private static let batch = 1_000
    private static let nanoseconds: UInt64 = 1_000_000_000

    /// Measures, and puts the figures into a report.
    static func add(_ files: PostgresFiles, to report: inout Report) async throws(DatabaseError) {
        Progress.say("measuring this Postgres")
        let reference = try await measure(files)
        report.add(
            "reference_commit_us", "reference: one durable commit", reference.commitMicroseconds, "µs")
        report.add(
            "reference_insert_delete_per_s", "reference: rows in and out by the thousand",
            reference.insertDeletePerSecond, "/s")
    }

    static func measure(_ files: PostgresFiles) async throws(DatabaseError) -> PostgresReference {
        let pool = PostgresPool(files.configuration, on: EventLoop(label: "reference"), size: 1)
        defer { pool.close() }
        _ = try await pool.execute(create)
        let commit = try await commitMicroseconds(pool)
        let rate = try await insertDeletePerSecond(pool)
        _ = try await pool.execute(drop)
        return PostgresReference(commitMicroseconds: commit, insertDeletePerSecond: rate)
    }

    private static func commitMicroseconds(_ pool: PostgresPool) async throws(DatabaseError) -> Double {
        var latencies = Latencies()
        let begun = MonotonicClock.now()
        var number: Int64 = -1
        while MonotonicClock.now() - begun < nanoseconds {
            let start = MonotonicClock.now()
            let key = number
            _ = try await pool.execute(insertOne) { $0.int8(key) }
            latencies.add(nanoseconds: MonotonicClock.now() - start)
            number -= 1
        }
        return latencies.percentile(50) ?? 0
    }

    private static func insertDeletePerSecond(_ pool: PostgresPool) async throws(DatabaseError) -> Double {
        let payload = [UInt8](repeating: 0x61, count: 64)
        let begun = MonotonicClock.now()
        var first: Int64 = 1
        var rows = 0
        while MonotonicClock.now() - begun < nanoseconds {
            let keys = first..<(first + Int64(batch))
            _ = try await pool.execute(insertMany) { parameters in
                parameters.int8s(keys) { $0 }
                parameters.byteas(keys) { _ in payload }
            }
            _ = try await pool.execute(deleteMany) { $0.int8s(keys) { $0 } }
            first += Int64(batch)
            rows += batch
        }
        return Double(rows) / (Double(MonotonicClock.now() - begun) / 1e9)
    }

    private static let create = Query(
        name: "loadtest_create",
        sql: "create table if not exists loadtest_reference (key bigint primary key, payload bytea)")
    private static let drop = Query(name: "loadtest_drop", sql: "drop table loadtest_reference")
    private static let insertOne = Query(
        name: "loadtest_insert_one", sql: "insert into loadtest_reference (key) values ($1::bigint)")
    private static let insertMany = Query(
        name: "loadtest_insert_many",
        sql: "insert into loadtest_reference select * from unnest($1::bigint[], $2::bytea[])")
    private static let deleteMany = Query(
        name: "loadtest_delete_many", sql: "delete from loadtest_reference where key = any ($1::bigint[])")
}
