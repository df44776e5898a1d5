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
        page.records = [
            RecordRow(user: UserKey(10), isOwed: true, record: [1, 2, 255]),
            RecordRow(user: UserKey(11), isOwed: false, record: []),
        ]
        return page
    }

    @Test func `a page comes back as it was`() throws {
        let page = Self.page(1 << 40)
        let back = try #require(JournalEncoding.decode(JournalEncoding.encode(page)))
        #expect("\(back)" == "\(page)")
        #expect(JournalEncoding.decode(JournalEncoding.encode(JournalPage()))?.rowCount == 0)
    }

    @Test func `a page of the first format has tasks, and no records`() throws {
        var page = Self.page(1)
        page.records = []
        // It ended behind the tasks that ended.
        let first = [1] + JournalEncoding.encode(page).dropFirst().dropLast(4)
        #expect("\(try #require(JournalEncoding.decode(first)))" == "\(page)")
        #expect(JournalEncoding.decode([2] + first.dropFirst()) == nil)
    }

    @Test func `whether a record is the first is not known after its page`() throws {
        var page = JournalPage()
        page.records = [RecordRow(user: UserKey(1), isOwed: false, record: [7], isFirst: false)]
        let back = try #require(JournalEncoding.decode(JournalEncoding.encode(page)))
        #expect(back.records.map(\.isFirst) == [true])
    }

    @Test func `what is cut, longer, or of another form is no page`() {
        let bytes = JournalEncoding.encode(Self.page(1))
        for count in bytes.indices { #expect(JournalEncoding.decode(Array(bytes[..<count])) == nil) }
        #expect(JournalEncoding.decode(bytes + [0]) == nil)
        #expect(JournalEncoding.decode([0] + bytes.dropFirst()) == nil)
        #expect(JournalEncoding.decode([3] + bytes.dropFirst()) == nil)
        // A count that no page could have.
        #expect(JournalEncoding.decode([2, 255, 255, 255, 255]) == nil)
    }
}
