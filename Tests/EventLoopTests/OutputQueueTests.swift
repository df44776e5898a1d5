import EventLoop
import Testing

struct OutputQueueTests {
    private func drain(_ queue: inout OutputQueue, step: Int) -> [UInt8] {
        var out: [UInt8] = []
        while !queue.isEmpty {
            let count = min(step, queue.first.count - queue.offset)
            out += queue.first[queue.offset..<queue.offset + count]
            queue.consume(count)
        }
        return out
    }

    @Test(arguments: [1, 7, 1_000, 16_384, 100_000])
    func `bytes leave in the order in which they came, whatever the pieces`(step: Int) {
        var queue = OutputQueue()
        var expected: [UInt8] = []
        for round in 0..<200 {
            let size = [0, 1, 5, 300, 16_384, 20_000][round % 6]
            let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 + round) }
            queue.append(piece)
            expected += piece
        }
        #expect(queue.queuedOffset == UInt64(expected.count))
        #expect(drain(&queue, step: step) == expected)
        #expect(queue.sentOffset == queue.queuedOffset)
    }

    @Test func `small pieces are gathered and large ones left alone`() {
        var queue = OutputQueue()
        queue.append([1])
        queue.append([2])
        #expect(queue.first == [1, 2])
        queue.append([UInt8](repeating: 3, count: OutputQueue.gatherBytes))
        #expect(queue.first == [1, 2])
    }

    @Test func `a long queue that is never empty forgets what it has sent`() {
        var queue = OutputQueue()
        let piece = [UInt8](repeating: 1, count: OutputQueue.gatherBytes)
        for _ in 0..<10 { queue.append(piece) }
        for _ in 0..<10_000 {
            queue.append(piece)
            queue.consume(queue.first.count - queue.offset)
        }
        #expect(queue.queuedOffset - queue.sentOffset == UInt64(10 * piece.count))
    }
}
