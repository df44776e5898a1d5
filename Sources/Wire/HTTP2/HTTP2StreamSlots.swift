/// What a session keeps of its streams, each in a slot whose number nghttp2 carries for it. Pure.
struct HTTP2StreamSlots {
    /// By slot; of a free one nothing is left.
    var states: [HTTP2StreamState] = []
    private var free: [Int] = []

    /// Slots in use.
    var count: Int { states.count - free.count }

    mutating func take(_ stream: HTTP2StreamState) -> Int {
        guard let slot = free.popLast() else {
            states.append(stream)
            return states.count - 1
        }
        states[slot] = stream
        return slot
    }

    /// The slot may be used again; gives what the stream was known by.
    @discardableResult
    mutating func release(_ slot: Int) -> Int {
        let tag = states[slot].tag
        states[slot] = HTTP2StreamState()
        free.append(slot)
        return tag
    }
}

/// One stream's own state.
struct HTTP2StreamState {
    var tag = 0
    var headers = HTTP2Headers()
    private var hasResponse = false
    private var outgoing: [UInt8] = []
    private var outgoingOffset = 0
    private var incoming: [UInt8] = []
    private var incomingByteCount = 0

    init(tag: Int = 0, outgoing: [UInt8] = []) {
        self.tag = tag
        self.outgoing = outgoing
    }

    /// True once: for the head of the final response.
    mutating func beginResponse() -> Bool {
        defer { hasResponse = true }
        return !hasResponse
    }

    mutating func send(_ body: [UInt8]) {
        outgoing = body
        outgoingOffset = 0
    }

    /// Hands out more of the body that is sent; true with the last of it.
    mutating func takeOutgoing(into output: inout OutputSpan<UInt8>) -> Bool {
        let end = min(outgoing.count, outgoingOffset + output.freeCapacity)
        output.append(copying: outgoing.span.extracting(outgoingOffset..<end))
        outgoingOffset = end
        guard end == outgoing.count else { return false }
        send([])
        return true
    }

    /// Counts bytes that came; false once there are more than the limit.
    mutating func counts(_ byteCount: Int, limit: Int) -> Bool {
        incomingByteCount += byteCount
        return incomingByteCount <= limit
    }

    mutating func receive(_ bytes: Span<UInt8>) {
        incoming.append(addingCapacity: bytes.count) { (output: inout OutputSpan<UInt8>) in
            output.append(copying: bytes)
        }
    }

    /// The whole request, which is handed on and not kept.
    mutating func takeRequest() -> (headers: HTTP2Headers, body: [UInt8]) {
        defer {
            headers = HTTP2Headers()
            incoming = []
        }
        return (headers, incoming)
    }
}
