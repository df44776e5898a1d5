import Domain
import Testing

@testable import EventLoop
@testable import Store

@Suite struct PostgresPoolTests {
    let loop = EventLoop(label: "test.postgres")

    private func pool(size: Int = 2, waiting: Int = 100, timeout: Int = TestCluster.patience) throws
        -> PostgresPool
    {
        var configuration = try TestCluster.freshDatabase(migrated: false)
        configuration.batchTimeoutMilliseconds = timeout
        return PostgresPool(configuration, on: loop, size: size, maximumWaiting: waiting)
    }

    private func query(_ name: String, _ sql: String) -> Query { Query(name: name, sql: sql) }

    @Test func `all kinds of values go there and come back`() async throws {
        let pool = try pool()
        defer { pool.close() }
        let echo = query(
            "echo",
            "select $1::bigint, $2::integer, $3::smallint, $4::boolean, $5::text, $6::bytea, $7::timestamptz")
        let rows = try await pool.execute(echo) {
            $0.int8(-5_000_000_000)
            $0.int4(-7)
            $0.int2(300)
            $0.bool(true)
            $0.text("größer 🎈")
            $0.bytea([0, 255, 1])
            $0.timestamp(.init(milliseconds: 1_796_000_000_123))
        }
        let row = rows.first { row in
            [
                "\(row.int8())", "\(row.int4())", "\(row.int2())", "\(row.bool())", row.text(),
                "\(row.bytea())",
                "\(row.timestamp().milliseconds)",
            ]
        }
        #expect(row == ["-5000000000", "-7", "300", "true", "größer 🎈", "[0, 255, 1]", "1796000000123"])
    }

    @Test func `columns unnest into rows, with nulls and empty values`() async throws {
        let pool = try pool()
        defer { pool.close() }
        let unnest = query(
            "columns",
            """
            select * from unnest($1::bigint[], $2::integer[], $3::smallint[], $4::boolean[], $5::text[], $6::bytea[],
                $7::timestamptz[]) as t (a, b, c, d, e, f, g)
            """)
        let values: [Int64?] = [1, nil, -3]
        let rows = try await pool.execute(unnest) {
            $0.int8s(values) { $0 }
            $0.int4s(values) { $0.map(Int32.init) }
            $0.int2s(values) { $0.map(Int16.init) }
            $0.bools(values) { $0.map { $0 > 0 } }
            $0.texts(values) { $0.map { $0 > 0 ? "" : "x" } }
            $0.byteas(values) { $0.map { $0 > 0 ? [] : [1, 2] } }
            $0.timestamps(values) { $0.map { .init(milliseconds: $0 * 1000) } }
        }
        func word<Value>(_ value: Value?) -> String {
            if let value { "\(value)" } else { "null" }
        }
        let read: [String] = rows.map { row in
            var words = [word(row.int8OrNil()), word(row.int4OrNil()), word(row.int2OrNil())]
            words += [word(row.boolOrNil()), word(row.textOrNil()), word(row.byteaOrNil())]
            words.append(word(row.timestampOrNil()?.milliseconds))
            return words.joined(separator: "|")
        }
        #expect(
            read == [
                "1|1|1|true||[]|1000", "null|null|null|null|null|null|null", "-3|-3|-3|false|x|[1, 2]|-3000",
            ])
    }

    @Test func `an empty column is an empty array`() async throws {
        let pool = try pool()
        defer { pool.close() }
        let rows = try await pool.execute(query("none", "select cardinality($1::bigint[])")) {
            $0.int8s([Int64]()) { $0 }
        }
        #expect(rows.first { $0.int4() } == 0)
    }

    @Test func `a text with U+0000 is stored with a space`() async throws {
        let pool = try pool()
        defer { pool.close() }
        let rows = try await pool.execute(query("nul", "select $1::text")) { $0.text("a\u{0}b") }
        #expect(rows.first { $0.text() } == "a b")
    }

    @Test func `a transaction takes effect as a whole or not at all`() async throws {
        let pool = try pool()
        defer { pool.close() }
        _ = try await pool.execute(query("make", "create table t (a bigint constraint a_once primary key)"))
        let insert = query("insert", "insert into t values ($1::bigint)")
        var batch = StatementBatch(.transaction)
        for value: Int64 in [1, 2, 1] { batch.add(insert) { $0.int8(value) } }
        await #expect {
            _ = try await pool.execute(batch)
        } throws: { error in
            guard case .refused(let refusal)? = error as? DatabaseError else { return false }
            return refusal.state == .uniqueViolation && refusal.constraint == "a_once"
                && refusal.statement == "insert" && (error as? DatabaseError)?.violatedConstraint == "a_once"
        }
        let count = query("count", "select count(*) from t")
        #expect(try await pool.execute(count).first { $0.int8() } == 0)
        batch.removeAll()
        for value: Int64 in [1, 2] { batch.add(insert) { $0.int8(value) } }
        #expect(try await pool.execute(batch).map(\.affectedRowCount) == [1, 1])
        #expect(try await pool.execute(count).first { $0.int8() } == 2)
    }

    @Test func `batches larger than the socket's buffers pass both ways`() async throws {
        let pool = try pool()
        defer { pool.close() }
        let blob = [UInt8](repeating: 7, count: 3_000_000)
        var batch = StatementBatch()
        for _ in 0..<4 { batch.add(query("blob", "select $1::bytea")) { $0.bytea(blob) } }
        let answers = try await pool.execute(batch)
        #expect(
            answers.map { $0.first { $0.bytea().count } } == [3_000_000, 3_000_000, 3_000_000, 3_000_000])
    }

    @Test func `a server that does not answer costs the time-out, and the pool recovers`() async throws {
        let pool = try pool(size: 1, timeout: 300)
        defer { pool.close() }
        await #expect(throws: DatabaseError.timedOut(milliseconds: 300)) {
            _ = try await pool.execute(query("sleep", "select pg_sleep(20)"))
        }
        // On a slow machine a prompt answer may come too late as well.
        var answer: Int32?
        while answer == nil {
            do throws(DatabaseError) {
                answer = try await pool.execute(query("one", "select 1")).first { $0.int4() }
            } catch { #expect(error == .timedOut(milliseconds: 300)) }
        }
        #expect(answer == 1)
    }

    @Test func `a session ended by the server is replaced`() async throws {
        let pool = try pool(size: 1)
        defer { pool.close() }
        await #expect {
            _ = try await pool.execute(query("suicide", "select pg_terminate_backend(pg_backend_pid())"))
        } throws: { error in
            if case .connectionLost(let reason)? = error as? DatabaseError {
                reason.hasPrefix("57P01")
            } else {
                false
            }
        }
        #expect(try await pool.execute(query("one", "select 1")).first { $0.int4() } == 1)
    }

    @Test func `more batches than sessions wait their turn, and more than the queue holds are refused`()
        async throws
    {
        var configuration = try TestCluster.freshDatabase(migrated: false)
        configuration.batchTimeoutMilliseconds = TestCluster.patience
        let blocker = try BlockingSession(configuration, timeoutMilliseconds: TestCluster.patience)
        try blocker.run(script: "select pg_advisory_lock(1)")
        let pool = PostgresPool(configuration, on: loop, size: 1, maximumWaiting: 2)
        defer { pool.close() }
        // There is a session: nobody waits for one to be made.
        _ = try await pool.execute(query("one", "select 1"))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    (try? await pool.execute(
                        Query(name: "wait", sql: "select pg_advisory_lock_shared(1)"))) != nil
                }
            }
            // One has the session, two wait; whoever comes after them hears so while nothing moves.
            for _ in 0..<3 { #expect(try await group.next() == false) }
            try blocker.run(script: "select pg_advisory_unlock(1)")
            for _ in 0..<3 { #expect(try await group.next() == true) }
        }
    }

    @Test func `a database that is not there is unavailable at once`() async throws {
        let configuration = PostgresConfiguration(
            endpoint: .socket(directory: "/nonexistent", user: "rouse", database: "postgres"))
        let pool = PostgresPool(configuration, on: loop, size: 1)
        defer { pool.close() }
        await #expect {
            _ = try await pool.execute(query("one", "select 1"))
        } throws: { error in
            if case .unavailable? = error as? DatabaseError {
                (error as? DatabaseError)?.leftNothingBehind == true
            } else {
                false
            }
        }
    }
}
