import Testing

@testable import Wire

struct HTTP2StreamSlotsTests {
    @Test func `a slot used again has nothing of the stream before`() {
        var slots = HTTP2StreamSlots()
        let slot = slots.take(HTTP2StreamState(tag: 7, outgoing: [1, 2]))
        let (wasWithin, began) = (
            slots.states[slot].counts(9, limit: 8), slots.states[slot].beginResponse()
        )
        #expect(!wasWithin && began)
        let tag = slots.release(slot)
        #expect(tag == 7)
        #expect(slots.count == 0)
        let again = slots.take(HTTP2StreamState(tag: 8))
        #expect(again == slot)
        #expect(slots.count == 1)
        let (isWithin, begins) = (
            slots.states[again].counts(8, limit: 8), slots.states[again].beginResponse()
        )
        #expect(isWithin && begins)
    }

    @Test func `a body is handed out in order, and its end is told with the last of it`() {
        var stream = HTTP2StreamState(outgoing: Array(0..<10))
        var bytes: [UInt8] = []
        var isOver = false
        while !isOver {
            bytes.append(addingCapacity: 4) { (output: inout OutputSpan<UInt8>) in
                isOver = stream.takeOutgoing(into: &output)
            }
            #expect(isOver == (bytes.count == 10))
        }
        #expect(bytes == Array(0..<10))
    }

    @Test func `a request is handed on once`() {
        var stream = HTTP2StreamState()
        stream.headers.append(.method, "POST")
        stream.receive([UInt8]([1, 2]).span)
        stream.receive([UInt8]([3]).span)
        let request = stream.takeRequest()
        #expect(request.headers[.method] == "POST")
        #expect(request.body == [1, 2, 3])
        let rest = stream.takeRequest()
        #expect(rest.headers.isEmpty && rest.body.isEmpty)
    }
}
