import Testing

@testable import Wire

@Suite struct WebSocketFrameTests {
    private static let mask: UInt32 = 0x37FA_213D

    @Test func `the examples of the standard are read`() throws {
        let hello = Array("Hello".utf8)
        #expect(try events([0x81, 0x05] + hello, .client) == [.text(hello)])
        #expect(
            try events([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .server) == [
                .text(hello)
            ])
        #expect(
            try events([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], .client) == [.text(hello)])
        #expect(try events([0x89, 0x05] + hello + [0x8A, 0x00], .client) == [.ping(hello), .pong([])])
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]) func `a frame of any length is read back`(
        length: Int
    ) throws {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        for (role, mask) in [(WebSocketFrameParser.Role.server, Self.mask), (.client, nil)] {
            var bytes: [UInt8] = []
            WebSocketFrameWriter.write(.binary, payload, mask: mask, into: &bytes)
            #expect(try events(bytes, role, limit: 70_000) == [.binary(payload)])
        }
    }

    @Test func `messages come out the same however their bytes are split`() throws {
        let bytes =
            fragments([(0x01, "hé"), (0x89, "p"), (0x00, "l"), (0x8A, ""), (0x80, "lo")])
            + fragments([(0x82, "x"), (0x88, "")])
        let expected: [WebSocketEvent] = [
            .ping([0x70]), .pong([]), .text(Array("héllo".utf8)), .binary([0x78]), .close(nil, reason: ""),
        ]
        for split in 0...bytes.count {
            var parser = WebSocketFrameParser(role: .server)
            parser.append(bytes[..<split])
            var seen = try drain(&parser)
            parser.append(bytes[split...])
            seen += try drain(&parser)
            #expect(seen == expected, "split at \(split)")
        }
        var parser = WebSocketFrameParser(role: .server)
        var seen: [WebSocketEvent] = []
        for byte in bytes {
            parser.append([byte])
            seen += try drain(&parser)
        }
        #expect(seen == expected)
    }

    @Test func `only between messages a fresh parser can take over`() throws {
        let bytes = fragments([(0x81, "a"), (0x01, "b"), (0x80, "c"), (0x89, "")])
        // Each fragment is a header of six bytes and its payload.
        let between: Set<Int> = [0, 7, 21, 27]
        var parser = WebSocketFrameParser(role: .server)
        for (index, byte) in bytes.enumerated() {
            #expect(parser.isIdle == between.contains(index), "before byte \(index)")
            parser.append([byte])
            _ = try drain(&parser)
        }
        #expect(parser.isIdle)
        parser.append(fragments([(0x88, "")]))
        _ = try drain(&parser)
        #expect(!parser.isIdle)
    }

    @Test func `a character may be cut by fragments, not by the message`() throws {
        let face = Array("😀".utf8)
        #expect(try events([0x01, 0x02] + face[..<2] + [0x80, 0x02] + face[2...], .client) == [.text(face)])
        #expect(throws: WebSocketError.invalidUTF8) { try events([0x81, 0x02] + face[..<2], .client) }
    }

    @Test(
        arguments: [
            ([0xC1, 0x00], WebSocketError.reservedBits), ([0xA1, 0x00], .reservedBits),
            ([0x91, 0x00], .reservedBits),
            ([0x83, 0x00], .unknownOpcode(3)), ([0x8B, 0x00], .unknownOpcode(11)),
            ([0x81, 0x80], .wrongMasking),
            ([0x09, 0x00], .badControlFrame), ([0x89, 0x7E], .badControlFrame),
            ([0x88, 0x7F], .badControlFrame),
            ([0x80, 0x00], .badFragmentation), ([0x00, 0x00], .badFragmentation),
            ([0x01, 0x00, 0x81, 0x00], .badFragmentation), ([0x01, 0x00, 0x02, 0x00], .badFragmentation),
            ([0x82, 0x7E, 0x00, 0x7D], .badLength), ([0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .badLength),
            ([0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0], .badLength),
            ([0x82, 0x7E, 0x40, 0x01], .messageTooLarge),
            ([0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .messageTooLarge),
            ([0x81, 0x01, 0xFF], .invalidUTF8), ([0x81, 0x03, 0xED, 0xA0, 0x80], .invalidUTF8),
            ([0x88, 0x01, 0x03], .badCloseCode), ([0x88, 0x02, 0x03, 0xE7], .badCloseCode),
            ([0x88, 0x02, 0x03, 0xED], .badCloseCode),
            ([0x88, 0x02, 0x03, 0xEE], .badCloseCode), ([0x88, 0x02, 0x03, 0xF7], .badCloseCode),
            ([0x88, 0x02, 0x13, 0x88], .badCloseCode),
            ([0x88, 0x03, 0x03, 0xE8, 0xFF], .invalidUTF8),
        ] as [([UInt8], WebSocketError)])
    func `what breaks the protocol is refused`(bytes: [UInt8], error: WebSocketError) {
        #expect(throws: error) { try events(bytes, .client) }
    }

    @Test func `a client's frame must be masked`() {
        #expect(throws: WebSocketError.wrongMasking) { try events([0x81, 0x00], .server) }
    }

    @Test(arguments: [1000, 1003, 1007, 1014, 3000, 4010, 4999]) func `a close code is read back`(
        code: UInt16
    ) throws {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.writeClose(.init(rawValue: code), reason: "bye", into: &bytes)
        #expect(try events(bytes + [0xFF, 0xFF], .client) == [.close(.init(rawValue: code), reason: "bye")])
    }

    @Test func `a long close reason is cut to what a control frame holds`() throws {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.writeClose(.normal, reason: String(repeating: "é", count: 100), into: &bytes)
        #expect(bytes.count == 2 + 2 + 123)
        #expect(
            try events(bytes, .client) == [.close(.normal, reason: String(repeating: "é", count: 60) + "…")])
    }

    @Test func `the limit counts a message over its fragments`() throws {
        let half = [UInt8](repeating: 0x61, count: 100)
        #expect(try events([0x01, 100] + half + [0x80, 20] + half[..<20], .client, limit: 120).count == 1)
        #expect(throws: WebSocketError.messageTooLarge) {
            try events([0x01, 100] + half + [0x80, 21], .client, limit: 120)
        }
        #expect(WebSocketError.messageTooLarge.closeCode == .messageTooBig)
    }

    @Test func `an error stays`() {
        var parser = WebSocketFrameParser(role: .client)
        parser.append([0x83, 0x00])
        #expect(throws: WebSocketError.unknownOpcode(3)) { try parser.next() }
        parser.append([0x81, 0x00])
        #expect(throws: WebSocketError.unknownOpcode(3)) { try parser.next() }
    }

    @Test func `random bytes never trap`() {
        var random = SplitMix(seed: 5)
        for _ in 0..<20_000 {
            var bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
            bytes[0] = [0x01, 0x81, 0x82, 0x88, 0x89][Int.random(in: 0..<5, using: &random)]
            bytes[1] = 0x80 | UInt8.random(in: 0...127, using: &random)
            _ = try? events(bytes, .server)
        }
    }

    private func fragments(_ frames: [(UInt8, String)]) -> [UInt8] {
        let mask: [UInt8] = [1, 2, 3, 4]
        return frames.flatMap { first, text in
            [first, 0x80 | UInt8(text.utf8.count)] + mask + text.utf8.enumerated().map { $1 ^ mask[$0 & 3] }
        }
    }
}

private func events(
    _ bytes: [UInt8], _ role: WebSocketFrameParser.Role, limit: Int = 16_384
) throws -> [WebSocketEvent] {
    var parser = WebSocketFrameParser(role: role, messageLimit: limit)
    parser.append(bytes)
    return try drain(&parser)
}

private func drain(_ parser: inout WebSocketFrameParser) throws -> [WebSocketEvent] {
    var events: [WebSocketEvent] = []
    while let event = try parser.next() { events.append(event) }
    return events
}
