import Domain
import Engine
import Testing

@testable import Store

/// What leaves the journal, and what a crash leaves in it.
@Suite struct PendingRowsTests {
    /// The tables, as a model.
    private struct Tables: Equatable {
        var tasks: [Int64: [Int64]] = [:]
        var records: [UserKey: [UInt8]] = [:]
        /// Rows that a constraint would have refused, or that were not there to be changed.
        var defects = 0

        /// In the order of the statements.
        mutating func apply(_ page: JournalPage) {
            for task in page.ended { tasks[task.seq] = nil }
            for row in page.made {
                defects += tasks[row.seq] == nil ? 0 : 1
                tasks[row.seq] = [row.key.raw, row.dueAt.milliseconds]
            }
            for move in page.moved { tasks[move.task.seq]?[1] = move.dueAt.milliseconds }
            for row in page.records {
                defects += row.isFirst || records[row.user] != nil ? 0 : 1
                records[row.user] = row.record
            }
        }
    }

    /// What a shard commits, at random, and the tables without a journal.
    private struct Life {
        var tables = Tables()
        var dice: Dice

        mutating func page(_ step: Int) -> JournalPage {
            var page = JournalPage()
            for seq in Int64(0)..<6 where dice.says(oneIn: 3) {
                if tables.tasks[seq] == nil {
                    page.made.append(PendingRowsTests.row(seq, step))
                    if dice.says(oneIn: 4) { page.ended.append(PendingRowsTests.task(seq)) }
                } else if dice.says(oneIn: 2) {
                    page.moved.append(PendingRowsTests.move(seq, step))
                } else {
                    page.ended.append(PendingRowsTests.task(seq))
                }
            }
            for user in Int64(0)..<4 where dice.says(oneIn: 6) {
                let isFirst = tables.records[UserKey(user)] == nil
                page.records.append(
                    RecordRow(user: UserKey(user), isOwed: false, record: [UInt8(step)], isFirst: isFirst))
            }
            commit(page)
            return page
        }

        private mutating func commit(_ page: JournalPage) {
            var pending = PendingRows()
            pending.add(page, at: nil)
            tables.apply(pending.take { _, _ in true }.page)
        }
    }

    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }

        mutating func says(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
    }

    @Test(arguments: UInt64(0)..<100)
    func `after a crash at any moment the tables have what was committed`(seed: UInt64) throws {
        var life = Life(dice: Dice(state: seed))
        var (tables, pending) = (Tables(), PendingRows())
        var journal: [Int64: JournalPage] = [:]
        for step in 0..<80 {
            if life.dice.says(oneIn: 4) {
                var count = Int.random(in: 0..<4, using: &life.dice)
                let leaving = pending.take { _, _ in
                    count -= 1
                    return count >= 0
                }
                tables.apply(leaving.page)
                for place in leaving.places.map(Array.init) ?? [] {
                    #expect(journal.removeValue(forKey: place) != nil)
                }
            }
            let committed = JournalEncoding.encode(life.page(step))
            let page = try #require(JournalEncoding.decode(committed))
            let place = Int64(step)
            journal[place] = page
            if life.dice.says(oneIn: 3) { pending.beginGeneration(at: 0) }
            pending.add(page, at: place)
            // Whoever opens the shard now puts together what is in the journal.
            var (opened, left) = (tables, PendingRows())
            for (_, page) in journal.sorted(by: { $0.key < $1.key }) { left.add(page, at: nil) }
            opened.apply(left.take { _, _ in true }.page)
            #expect(opened == life.tables)
            #expect(opened.defects == 0)
        }
    }

    @Test func `a record that is written again leaves with its newest version, as the first of its user`() {
        var pending = PendingRows()
        for (place, isFirst) in [(Int64(1), true), (2, false), (3, false)] {
            pending.beginGeneration(at: UInt64(place))
            pending.add(Self.record(place, isFirst: isFirst), at: place)
        }
        for place in Int64(1)...2 {
            let leaving = pending.take { since, _ in since == UInt64(place) }
            #expect(leaving.page.rowCount == 0)
            #expect(leaving.places == place...place)
        }
        #expect(pending.records[UserKey(1)]?.record == [3])
        let last = pending.take { _, _ in true }
        #expect(last.page.records.map(\.record) == [[3]])
        #expect(last.page.records.map(\.isFirst) == [true])
        #expect(pending.isEmpty)
        #expect(pending.records[UserKey(1)] == nil)
    }

    @Test func `once a first record is written, the next is none`() {
        var pending = PendingRows()
        pending.add(Self.record(1, isFirst: true), at: 1)
        _ = pending.take { _, _ in true }
        pending.add(Self.record(2, isFirst: false), at: 2)
        #expect(pending.take { _, _ in true }.page.records.map(\.isFirst) == [false])
    }

    @Test func `a generation leaves whole, and none without its predecessors`() {
        var pending = PendingRows()
        for place in Int64(1)...6 {
            if place % 2 == 1 { pending.beginGeneration(at: UInt64(place)) }
            pending.add(Self.record(place, user: place), at: place)
        }
        #expect((pending.oldest, pending.newest) == (1, 5))
        #expect(pending.take { since, _ in since > 1 }.places == nil)
        let leaving = pending.take { _, count in count > 3 }
        #expect(leaving.places == 1...4)
        #expect(leaving.page.records.map(\.user.raw) == [1, 2, 3, 4])
        #expect(pending.rowCount == 2)
    }

    // MARK: Rows

    private static func record(_ number: Int64, user: Int64 = 1, isFirst: Bool = true) -> JournalPage {
        var page = JournalPage()
        page.records = [
            RecordRow(user: UserKey(user), isOwed: false, record: [UInt8(number)], isFirst: isFirst)
        ]
        return page
    }

    private static func task(_ seq: Int64) -> TaskReference {
        TaskReference(user: UserKey(1), device: DeviceKey(1), seq: seq)
    }

    private static func row(_ seq: Int64, _ step: Int) -> TaskRow {
        TaskRow(
            key: TaskKey(Int64(step)), user: UserKey(1), device: DeviceKey(1), message: MessageKey(1),
            mention: .none, seq: seq, state: .held, materialisedAt: WallTime(milliseconds: 0),
            dueAt: WallTime(milliseconds: Int64(step)))
    }

    private static func move(_ seq: Int64, _ step: Int) -> TaskMove {
        TaskMove(
            task: task(seq), state: .due, dueAt: WallTime(milliseconds: Int64(-step)), attempts: 0)
    }
}
