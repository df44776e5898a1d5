import HTTP
import Testing

struct HTTP2OpenRequestsTests {
    /// Mutating calls may not stand in an expectation.
    private func change<R>(_ requests: inout HTTP2OpenRequests, _ body: (inout HTTP2OpenRequests) -> R) -> R {
        body(&requests)
    }

    @Test func `requests are found by stream whatever the order in which they end`() {
        var requests = HTTP2OpenRequests()
        for tag in 0..<1_000 {
            #expect(change(&requests) { $0.open(stream: Int32(tag * 2 + 1), tag: tag, due: Int64(tag)) })
        }
        for tag in stride(from: 0, to: 1_000, by: 3) {
            #expect(change(&requests) { $0.close(Int32(tag * 2 + 1))?.tag } == tag)
        }
        #expect(change(&requests) { $0.close(1) } == nil)
        #expect(requests.firstDue == 1)
        for tag in (0..<1_000).reversed() where tag % 3 != 0 {
            requests.update(Int32(tag * 2 + 1)) { $0.status = tag }
            #expect(change(&requests) { $0.close(Int32(tag * 2 + 1))?.status } == tag)
        }
        #expect(requests.openCount == 0)
        #expect(requests.firstDue == nil)
        #expect(change(&requests) { $0.open(stream: 2_001, tag: 7, due: 1) })
        #expect(change(&requests) { $0.closeFirst()?.tag } == 7)
    }

    @Test func `what is not written yet lies beyond every offset`() {
        var requests = HTTP2OpenRequests()
        _ = requests.open(stream: 1, tag: 1, due: 0)
        requests.written(from: 100)
        _ = requests.open(stream: 3, tag: 2, due: 0)
        #expect(change(&requests) { $0.close(1)?.firstByte } == 100)
        #expect(change(&requests) { $0.close(3)?.firstByte } == .max)
        _ = requests.open(stream: 5, tag: 3, due: 0)
        requests.written(from: 200)
        #expect(change(&requests) { $0.close(5)?.firstByte } == 200)
    }

    @Test func `a stream out of the row is refused`() {
        var requests = HTTP2OpenRequests()
        #expect(change(&requests) { $0.open(stream: 1, tag: 1, due: 0) })
        #expect(!change(&requests) { $0.open(stream: 5, tag: 2, due: 0) })
        #expect(change(&requests) { $0.close(5) } == nil)
        #expect(requests.openCount == 1)
    }
}
