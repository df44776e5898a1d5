import Testing

@testable import Wire

@Suite struct HTTP2SessionTests {
    @Test(arguments: Array(1...40) + [100, 1000, Int.max])
    func `a request and its answer survive every way of splitting the bytes`(pieceSize: Int) throws {
        let pair = try HTTP2Pair()
        let body = Array("{\"aps\":{}}".utf8)
        let stream = try pair.client.submit(HTTP2Pair.request(), body: body, tag: 42)
        try pair.talk(pieceSize: pieceSize)
        #expect(
            pair.serverEvents.filter { $0 != .settingsAcknowledged } == [
                .streamOpened(stream: stream),
                .request(stream: stream, headers: HTTP2Pair.request().asReceived, body: body),
            ])
        try pair.answerAll(body: Array("done".utf8))
        try pair.talk(pieceSize: pieceSize)
        var expected = HTTP2Headers()
        expected.append("apns-id", "f49e5d5c-0000-4000-8000-000000000000")
        let events = pair.clientEvents.filter { if case .bodyData = $0 { false } else { true } }
        #expect(
            events == [
                .settingsReceived(maximumConcurrentStreams: 1000),
                .responseHeaders(stream: stream, tag: 42, status: 200, headers: expected),
                .streamClosed(stream: stream, tag: 42, errorCode: .noError),
            ])
        #expect(pair.bodyReceived(tag: 42) == Array("done".utf8))
        #expect(pair.client.openStreamCount == 0)
        #expect(pair.server.openStreamCount == 0)
    }

    @Test func `a body larger than every window arrives whole`() throws {
        var serverOptions = HTTP2ServerSession.Options()
        serverOptions.initialWindowByteCount = 1000
        serverOptions.maximumBodyByteCount = 1 << 22
        var clientOptions = HTTP2ClientSession.Options()
        clientOptions.initialWindowByteCount = 70_000
        clientOptions.maximumBodyByteCount = 1 << 22
        let pair = try HTTP2Pair(client: clientOptions, server: serverOptions)
        let long = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try pair.client.submit(HTTP2Pair.request(), body: long, tag: 1)
        try pair.talk()
        guard case .request(_, _, let body)? = pair.serverEvents.last else {
            Issue.record("no request")
            return
        }
        #expect(body == long)
        try pair.answerAll(body: long)
        try pair.talk()
        let answer = pair.bodyReceived(tag: 1)
        #expect(answer == long)
    }

    @Test func `bodies beyond their limit reset the stream`() throws {
        var serverOptions = HTTP2ServerSession.Options()
        serverOptions.maximumBodyByteCount = 100
        var clientOptions = HTTP2ClientSession.Options()
        clientOptions.maximumBodyByteCount = 100
        let pair = try HTTP2Pair(client: clientOptions, server: serverOptions)
        let large = try pair.client.submit(HTTP2Pair.request(), body: .init(repeating: 1, count: 101), tag: 1)
        let small = try pair.client.submit(HTTP2Pair.request(), body: .init(repeating: 1, count: 100), tag: 2)
        try pair.talk()
        #expect(pair.clientEvents.contains(.streamClosed(stream: large, tag: 1, errorCode: .enhanceYourCalm)))
        #expect(!pair.serverEvents.contains { if case .request(large, _, _) = $0 { true } else { false } })
        try pair.answerAll(body: .init(repeating: 1, count: 101))
        try pair.talk()
        #expect(pair.clientEvents.contains(.streamClosed(stream: small, tag: 2, errorCode: .cancel)))
        #expect(pair.client.openStreamCount == 0)
    }

    @Test func `a session told to assume one stream sends one until the peer allows more`() throws {
        var options = HTTP2ClientSession.Options()
        options.initialPeerMaximumConcurrentStreams = 1
        let client = try HTTP2ClientSession(options: options)
        #expect(client.peerMaximumConcurrentStreams == 1)
        for tag in 0..<3 { _ = try client.submit(HTTP2Pair.request(), body: [], tag: tag) }
        let server = try HTTP2ServerSession()
        try server.receive(HTTP2Pair.pending { client.writePending(into: &$0) })
        #expect(server.openStreamCount == 1)
        try client.receive(HTTP2Pair.pending { server.writePending(into: &$0) })
        #expect(client.peerMaximumConcurrentStreams == 1000)
        try server.receive(HTTP2Pair.pending { client.writePending(into: &$0) })
        #expect(server.openStreamCount == 3)
    }

    @Test func `the advertised limit changes at run time and the owner refuses what is above it`() throws {
        var options = HTTP2ServerSession.Options()
        options.advertisedMaximumConcurrentStreams = 1
        let pair = try HTTP2Pair(server: options)
        let first = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 1)
        let second = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 2)
        // Both leave before SETTINGS arrive.
        try pair.talk()
        #expect(pair.client.peerMaximumConcurrentStreams == 1)
        #expect(pair.server.openStreamCount == 2)
        pair.server.reset(stream: second, errorCode: .refusedStream)
        try pair.server.respond(stream: first, headers: HTTP2Pair.status("200"), body: [])
        pair.server.advertise(maximumConcurrentStreams: 500)
        pair.server.advertise(maximumConcurrentStreams: 700)
        try pair.talk()
        #expect(pair.clientEvents.contains(.streamClosed(stream: second, tag: 2, errorCode: .refusedStream)))
        #expect(pair.clientEvents.contains(.streamClosed(stream: first, tag: 1, errorCode: .noError)))
        #expect(pair.clientEvents.contains(.settingsReceived(maximumConcurrentStreams: 500)))
        #expect(pair.clientEvents.contains(.settingsReceived(maximumConcurrentStreams: 700)))
        #expect(pair.client.peerMaximumConcurrentStreams == 700)
        #expect(pair.serverEvents.filter { $0 == .settingsAcknowledged }.count == 3)
    }

    @Test func `a GOAWAY brings its reason, and streams above its last id are refused`() throws {
        let pair = try HTTP2Pair()
        let first = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 1)
        let second = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 2)
        try pair.talk()
        let reason = Array("{\"reason\":\"Shutdown\"}".utf8)
        pair.server.goAway(lastStreamID: first, errorCode: .noError, debugData: reason)
        try pair.talk()
        #expect(
            pair.clientEvents.suffix(2) == [
                .goAway(lastStreamID: first, errorCode: .noError, debugData: reason),
                .streamClosed(stream: second, tag: 2, errorCode: .refusedStream),
            ])
        let third = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 3)
        try pair.server.respond(stream: first, headers: HTTP2Pair.status("200"), body: [])
        try pair.talk()
        #expect(pair.clientEvents.contains(.streamClosed(stream: third, tag: 3, errorCode: .refusedStream)))
        #expect(pair.clientEvents.contains(.streamClosed(stream: first, tag: 1, errorCode: .noError)))
        #expect(pair.client.isFinished)
        #expect(pair.server.isFinished)
    }

    @Test func `pings come back with their number`() throws {
        let pair = try HTTP2Pair()
        pair.client.ping(opaque: 0x0102_0304_0506_0708)
        pair.server.ping(opaque: 99)
        try pair.talk()
        #expect(pair.clientEvents.contains(.pingAcknowledged(opaque: 0x0102_0304_0506_0708)))
        #expect(pair.serverEvents.contains(.pingAcknowledged(opaque: 99)))
    }

    @Test func `a reset stream closes on both sides, also before it was ever sent`() throws {
        let pair = try HTTP2Pair()
        let sent = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 1)
        try pair.talk()
        let queued = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 2)
        pair.client.reset(stream: sent, errorCode: .cancel)
        pair.client.reset(stream: queued, errorCode: .cancel)
        try pair.talk()
        #expect(pair.clientEvents.contains(.streamClosed(stream: sent, tag: 1, errorCode: .cancel)))
        #expect(pair.clientEvents.contains(.streamClosed(stream: queued, tag: 2, errorCode: .cancel)))
        #expect(pair.serverEvents.contains(.streamClosed(stream: sent, errorCode: .cancel)))
        #expect(throws: HTTP2Error.self) {
            try pair.server.respond(stream: sent, headers: HTTP2Pair.status("200"), body: [])
        }
        #expect(pair.client.openStreamCount == 0)
    }

    @Test func `an interim response is skipped`() throws {
        let pair = try HTTP2Pair()
        let stream = try pair.client.submit(HTTP2Pair.request(), body: [], tag: 1)
        try pair.talk()
        // HEADERS without END_STREAM: literal `:status: 103` with the indexed name 8.
        try pair.client.receive([0, 0, 5, 1, 4, 0, 0, 0, UInt8(stream), 0x08, 3, 0x31, 0x30, 0x33])
        #expect(pair.client.takeEvents().isEmpty)
        try pair.answerAll()
        try pair.talk()
        #expect(
            pair.clientEvents.contains {
                if case .responseHeaders(stream, 1, 200, _) = $0 { true } else { false }
            })
    }

    @Test func `a client refuses frames that break the protocol, and says so`() throws {
        for corrupt in Self.corruptFrames {
            let client = try HTTP2ClientSession()
            try client.receive([0, 0, 0, 4, 0, 0, 0, 0, 0])
            #expect(throws: HTTP2Error.self, "\(corrupt)") { try client.receive(corrupt) }
            let answer = HTTP2Pair.pending { client.writePending(into: &$0) }
            #expect(!answer.isEmpty)
            #expect(client.isFinished)
        }
    }

    @Test func `a server refuses frames that break the protocol, and says so`() throws {
        for corrupt in Self.corruptFrames {
            let pair = try HTTP2Pair()
            try pair.talk()
            try pair.server.receive(corrupt)
            _ = HTTP2Pair.pending { pair.server.writePending(into: &$0) }
            #expect(pair.server.isFinished, "\(corrupt)")
            #expect(throws: HTTP2Error.self, "\(corrupt)") { try pair.server.receive([0]) }
        }
    }

    /// DATA on stream 0; SETTINGS of 5 bytes; a frame longer than allowed; WINDOW_UPDATE
    /// by 0; HEADERS that do not decompress; CONTINUATION out of place.
    static let corruptFrames: [[UInt8]] = [
        [0, 0, 1, 0, 0, 0, 0, 0, 0, 1],
        [0, 0, 5, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5],
        [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1],
        [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 2, 1, 5, 0, 0, 0, 1, 0xFF, 0xFF, 0, 0, 0, 9, 5, 0, 0, 0, 1],
        [0, 0, 1, 9, 4, 0, 0, 0, 1, 0x82],
    ]
}

extension HTTP2Headers {
    /// As the other side sees the list: what was said about indexing stays behind.
    var asReceived: HTTP2Headers {
        var headers = HTTP2Headers()
        for field in self { headers.append(name: field.name.span, value: field.value.span) }
        return headers
    }
}
