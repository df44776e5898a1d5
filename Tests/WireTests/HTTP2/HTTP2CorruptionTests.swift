import Testing

@testable import Wire

/// Seeded noise: whatever arrives, a session answers with an error or nothing, and never traps.
@Suite struct HTTP2CorruptionTests {
    @Test(arguments: UInt64(1)...200)
    func `a server survives a conversation with flipped bytes`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let pair = try HTTP2Pair()
        for tag in 0..<3 {
            _ = try pair.client.submit(HTTP2Pair.request(), body: .init(repeating: 7, count: 200), tag: tag)
        }
        pair.client.ping(opaque: seed)
        let talk = HTTP2Pair.pending { pair.client.writePending(into: &$0) }
        feed(Self.damaged(talk, keeping: 24, &random), &random) { bytes throws(HTTP2Error) in
            try pair.server.receive(bytes)
            for case .request(let stream, _, _) in pair.server.takeEvents() {
                try? pair.server.respond(stream: stream, headers: HTTP2Pair.status("200"), body: [1])
            }
            _ = HTTP2Pair.pending { pair.server.writePending(into: &$0) }
        }
    }

    @Test(arguments: UInt64(1)...200)
    func `a client survives answers with flipped bytes`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let pair = try HTTP2Pair()
        var tags: Set<Int> = [0, 1, 2]
        for tag in tags { _ = try pair.client.submit(HTTP2Pair.request(), body: [1, 2, 3], tag: tag) }
        try pair.server.receive(HTTP2Pair.pending { pair.client.writePending(into: &$0) })
        for case .request(let stream, _, _) in pair.server.takeEvents() {
            try pair.server.respond(stream: stream, headers: HTTP2Pair.status("200"), body: [9, 9])
        }
        pair.server.goAway(errorCode: .noError, debugData: [1, 2, 3])
        let talk = HTTP2Pair.pending { pair.server.writePending(into: &$0) }
        feed(Self.damaged(talk, keeping: 0, &random), &random) { bytes throws(HTTP2Error) in
            try pair.client.receive(bytes)
            _ = HTTP2Pair.pending { pair.client.writePending(into: &$0) }
        }
        for case .streamClosed(_, let tag, _) in pair.client.takeEvents() {
            #expect(tags.remove(tag) != nil, "tag \(tag) was closed twice")
        }
        #expect(pair.client.openStreamCount == tags.count)
    }

    @Test(arguments: UInt64(1)...100)
    func `both sides survive random frames`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let pair = try HTTP2Pair()
        _ = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 1)
        try pair.talk()
        let frames = (0..<50).flatMap { _ in Self.frame(&random) }
        feed(frames, &random) { bytes throws(HTTP2Error) in
            try pair.server.receive(bytes)
            _ = HTTP2Pair.pending { pair.server.writePending(into: &$0) }
        }
        feed(frames, &random) { bytes throws(HTTP2Error) in
            try pair.client.receive(bytes)
            _ = HTTP2Pair.pending { pair.client.writePending(into: &$0) }
        }
    }

    private func feed(
        _ bytes: [UInt8], _ random: inout SplitMix, _ receive: ([UInt8]) throws(HTTP2Error) -> Void
    ) {
        let size = Int.random(in: 1...64, using: &random)
        do {
            try HTTP2Pair.split(bytes, size) { piece in try receive(piece) }
        } catch {
            #expect(error is HTTP2Error)
        }
    }

    private static func damaged(_ bytes: [UInt8], keeping count: Int, _ random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let place = Int.random(in: count..<bytes.count, using: &random)
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
        }
        return bytes
    }

    private static func frame(_ random: inout SplitMix) -> [UInt8] {
        let payload = (0..<Int.random(in: 0...40, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        let type = UInt8.random(in: 0...10, using: &random)
        let flags = UInt8.random(in: 0...255, using: &random)
        let stream = UInt8.random(in: 0...3, using: &random)
        return [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }
}
