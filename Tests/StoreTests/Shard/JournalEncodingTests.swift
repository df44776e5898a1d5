import Domain
import Engine
import Testing

@testable import Store

@Suite struct JournalEncodingTests {
    private static func page(_ number: Int64) -> JournalPage {
        let task = TaskReference(user: UserKey(number), device: DeviceKey(.max), seq: 3)
        var page = JournalPage()
        page.made = [
            TaskRow(
                key: TaskKey(.min), user: UserKey(1), device: DeviceKey(2), message: MessageKey(-3),
                mention: .all,
                seq: number, state: .due, materialisedAt: WallTime(milliseconds: 5),
                dueAt: WallTime(milliseconds: -6))
        ]
        page.moved = [
            TaskMove(task: task, state: .retrying, dueAt: WallTime(milliseconds: 7), attempts: 8)
        ]
        page.ended = [task, TaskReference(user: UserKey(9), device: DeviceKey(0), seq: 0)]
        return page
    }

    @Test func `a page comes back as it was`() throws {
        let page = Self.page(1 << 40)
        let back = try #require(JournalEncoding.decode(JournalEncoding.encode(page)))
        #expect("\(back)" == "\(page)")
        #expect(JournalEncoding.decode(JournalEncoding.encode(JournalPage()))?.rowCount == 0)
    }

    @Test func `what is cut, longer, or of another form is no page`() {
        let bytes = JournalEncoding.encode(Self.page(1))
        for count in bytes.indices { #expect(JournalEncoding.decode(Array(bytes[..<count])) == nil) }
        #expect(JournalEncoding.decode(bytes + [0]) == nil)
        #expect(JournalEncoding.decode([2] + bytes.dropFirst()) == nil)
        // A count that no page could have.
        #expect(JournalEncoding.decode([1, 255, 255, 255, 255]) == nil)
    }

    /// A table of tasks, as a model.
    private struct Table: Equatable {
        var rows: [Int64: [Int64]] = [:]

        /// Deletes, inserts and updates, in the order of the statements.
        mutating func apply(_ page: JournalPage) {
            for task in page.ended { rows[task.seq] = nil }
            for row in page.made { rows[row.seq] = [row.key.raw, row.dueAt.milliseconds] }
            for move in page.moved where rows[move.task.seq] != nil {
                rows[move.task.seq]?[1] = move.dueAt.milliseconds
            }
        }
    }

    @Test(arguments: UInt64(0)..<50) func `pages put together leave what they leave one by one`(seed: UInt64)
    {
        var random = Dice(state: seed)
        var (one, together, pending) = (Table(), Table(), PendingTasks())
        var open: Set<Int64> = []
        for step in 0..<60 {
            var page = JournalPage()
            for seq in Int64(0)..<6 where Int.random(in: 0..<3, using: &random) == 0 {
                let task = TaskReference(user: UserKey(1), device: DeviceKey(1), seq: seq)
                if open.insert(seq).inserted {
                    page.made.append(Self.row(seq, step))
                } else if Bool.random(using: &random) {
                    page.moved.append(Self.move(task, step))
                } else {
                    page.ended.append(task)
                    open.remove(seq)
                }
            }
            one.apply(page)
            pending.add(page)
            guard Int.random(in: 0..<5, using: &random) == 0 else { continue }
            together.apply(pending.page)
            pending = PendingTasks()
            #expect(together == one)
        }
    }

    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private static func row(_ seq: Int64, _ step: Int) -> TaskRow {
        TaskRow(
            key: TaskKey(Int64(step)), user: UserKey(1), device: DeviceKey(1), message: MessageKey(1),
            mention: .none, seq: seq, state: .held, materialisedAt: WallTime(milliseconds: 0),
            dueAt: WallTime(milliseconds: Int64(step)))
    }

    private static func move(_ task: TaskReference, _ step: Int) -> TaskMove {
        TaskMove(task: task, state: .due, dueAt: WallTime(milliseconds: Int64(-step)), attempts: 0)
    }
}
