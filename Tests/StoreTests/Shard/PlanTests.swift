import Domain
import Testing

@testable import EventLoop
@testable import Store

/// A shard's statements are planned once per session, perhaps while a table is still empty: the plan must
/// hold for a table of any size.
@Suite struct PlanTests {
    private static let lookUps: [Query] = [
        .loadUsers, .loadTails, .loadDevices, .loadTasks, .loadTaskMessages, .loadKnownMessages,
        .loadKnownRecipients, .loadMailboxPage, .moveCursors, .moveTasks, .deleteTasks, .deleteTokens,
        .explainEntry, .explainOutcomes, .auditTasks, .auditOpenTasks, .followDigests, .readDigestHeads,
        .readDigestRevision, .listDueWakes, .loadRecordMessages, .updateRecords, .putRecords,
        .putCheckpoints, .findSharedTokens, .loadRingingLegs, .loadKnownCalls, .loadKnownLegs, .putVoipCounts,
        .setJournalAside,
    ]

    @Test(arguments: lookUps.indices) func `a look-up reads by key, whole keys, in any plan`(index: Int)
        throws
    {
        let query = Self.lookUps[index]
        let plan = try plan(of: query)
        #expect(!plan.contains("Seq Scan"), "\(query.name)\n\(plan)")
        #expect(!plan.contains("Bitmap"), "\(query.name)\n\(plan)")
        let scans = plan.split(separator: "\n").filter { $0.contains("Index") && $0.contains(" on ") }
        let conditions = plan.split(separator: "\n").filter { $0.contains("Index Cond") }
        #expect(scans.count == conditions.count, "\(query.name) reads a whole index\n\(plan)")
    }

    /// An outbox is empty whenever it may be, and then the database may count its rows.
    @Test(arguments: [
        Query.loadKnownMessages, .moveTasks, .deleteTasks, .updateRecords, .loadKnownCalls, .loadUsers,
        .loadTails, .loadTasks, .loadTaskMessages, .loadRecordMessages, .loadRingingLegs,
    ])
    func `what may be empty is read by key in plans made of empty tables, too`(query: Query) throws {
        let database = try TestCluster.freshDatabase()
        let session = try BlockingSession(database, timeoutMilliseconds: TestCluster.patience)
        try session.run(script: "vacuum analyze push_task, user_push_record, call, message")
        let plan = try plan(of: query, in: database)
        #expect(!plan.contains("Join Filter"), "\(query.name)\n\(plan)")
    }

    @Test(arguments: [Query.loadJournal, .trimJournal]) func `a journal is read by key`(query: Query) throws {
        let plan = try plan(of: query)
        #expect(plan.contains("shard_journal_pkey"), "\(plan)")
        #expect(!plan.contains("Seq Scan"), "\(plan)")
    }

    @Test func `a page of a mailbox is read in its order, not sorted`() throws {
        #expect(try !plan(of: .loadMailboxPage).contains("Sort"))
    }

    @Test func `the audit finds entries by time, everything else by key`() throws {
        let plan = try plan(of: .auditEntries)
        #expect(plan.contains("Bitmap Index Scan on mailbox_entry_order"), "\(plan)")
        #expect(!plan.contains("Seq Scan"), "\(plan)")
        let scans = plan.split(separator: "\n").filter { $0.contains("Index") && $0.contains(" on ") }
        let conditions = plan.split(separator: "\n").filter { $0.contains("Index Cond") }
        #expect(scans.count == conditions.count, "\(plan)")
    }

    @Test func `a recall finds entries by their message, everything else by key`() throws {
        let plan = try plan(of: .loadRecallTargets)
        #expect(plan.contains("Bitmap Index Scan on mailbox_entry_order"), "\(plan)")
        #expect(!plan.contains("Seq Scan"), "\(plan)")
    }

    @Test func `a page of open tasks is read in the order of their key, not sorted`() throws {
        #expect(try !plan(of: .auditTasks).contains("Sort"))
    }

    private func plan(of query: Query, in database: PostgresConfiguration? = nil) throws -> String {
        var configuration = try database ?? TestCluster.migratedDatabase()
        configuration.settings = PostgresShardStore.sessionSettings
        let session = try BlockingSession(configuration, timeoutMilliseconds: TestCluster.patience)
        try session.run(script: "prepare looked_up as \(query.sql)")
        let parameters = (1...30).last { query.sql.contains("$\($0)") } ?? 0
        let nulls = repeatElement("null", count: parameters).joined(separator: ", ")
        return try session.rows("explain (costs off) execute looked_up(\(nulls))").map { $0.text() }
            .joined(separator: "\n")
    }
}
