package import Wire

/// The requests of a connection that are under way. A client's stream ids grow by
/// two and every request has the same patience, so that one queue in order of
/// submission is both the table by stream and the list by deadline. Pure.
package struct HTTP2OpenRequests {
    package struct Request {
        package let stream: Int32
        package let tag: Int
        package let due: Int64
        /// Where its bytes begin in the stream's output; before it is written, beyond every offset.
        package fileprivate(set) var firstByte = UInt64.max
        package var status: Int?
        package var headers = HTTP2Headers()
        package var body: [UInt8] = []
    }

    private var queue: [Request?] = []
    private var start = 0
    private var firstStream: Int32 = 1
    private var unwritten = 0
    private(set) package var openCount = 0

    package init() {}

    /// False if the stream is not the next in the row.
    package mutating func open(stream: Int32, tag: Int, due: Int64) -> Bool {
        if start == queue.count { firstStream = stream }
        guard index(of: stream) == queue.count else { return false }
        queue.append(Request(stream: stream, tag: tag, due: due))
        openCount += 1
        return true
    }

    /// Everything opened since the last call begins at or after this offset of the output.
    package mutating func written(from offset: UInt64) {
        for index in unwritten..<queue.count { queue[index]?.firstByte = offset }
        unwritten = queue.count
    }

    package mutating func update(_ stream: Int32, _ change: (inout Request) -> Void) {
        let index = index(of: stream)
        guard index >= start, index < queue.count, var request = queue[index] else { return }
        queue[index] = nil
        change(&request)
        queue[index] = request
    }

    package mutating func close(_ stream: Int32) -> Request? {
        let index = index(of: stream)
        guard index >= start, index < queue.count, let request = queue[index] else { return nil }
        queue[index] = nil
        openCount -= 1
        trim()
        return request
    }

    /// The oldest one open.
    package mutating func closeFirst() -> Request? {
        guard start < queue.count, let request = queue[start] else { return nil }
        return close(request.stream)
    }

    package var firstDue: Int64? { start < queue.count ? queue[start]?.due : nil }

    private func index(of stream: Int32) -> Int { start + Int(stream - firstStream) / 2 }

    private mutating func trim() {
        while start < queue.count, queue[start] == nil {
            start += 1
            firstStream += 2
        }
        guard start >= 64, start * 2 >= queue.count else { return }
        queue.removeFirst(start)
        unwritten = max(0, unwritten - start)
        start = 0
    }
}
