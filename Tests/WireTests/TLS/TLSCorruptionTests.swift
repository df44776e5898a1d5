import Testing

@testable import Wire

/// Seeded noise: whatever arrives, a session ends with an error, gives no wrong plaintext, and never traps.
@Suite struct TLSCorruptionTests {
    let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    @Test(arguments: UInt64(1)...40)
    func `a handshake with flipped bytes fails on the side that sees them`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let pair = try TLSPair(certificates: certificates)
        try pair.client.start()
        var hello: [UInt8] = []
        pair.client.takeCiphertext(into: &hello)
        // Past the record's header, whose version nobody looks at.
        Self.damage(&hello, from: 5, &random)
        var plaintext: [UInt8] = []
        _ = try? pair.server.receive(hello, plaintext: &plaintext)
        var answer: [UInt8] = []
        pair.server.takeCiphertext(into: &answer)
        if !answer.isEmpty { Self.damage(&answer, &random) }
        _ = try? pair.client.receive(answer, plaintext: &plaintext)
        #expect(pair.client.state != .established)
        #expect(pair.server.state != .established)
        #expect(plaintext.isEmpty)
    }

    @Test(arguments: UInt64(1)...20)
    func `flipped bytes after the handshake never become plaintext`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let pair = try TLSPair(certificates: certificates)
        pair.talk()
        let text = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
        for _ in 0..<4 { try pair.client.send(text) }
        var records: [UInt8] = []
        pair.client.takeCiphertext(into: &records)
        Self.damage(&records, &random)
        var plaintext: [UInt8] = []
        _ = try? pair.server.receive(records, plaintext: &plaintext)
        #expect((text + text + text + text).starts(with: plaintext))
        #expect(plaintext.count < 4 * text.count)
        #expect(throws: TLSError.self) { try pair.server.transportEnded() }
    }

    @Test(arguments: UInt64(1)...40)
    func `noise instead of a handshake is refused`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let noise = (0..<Int.random(in: 1...400, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        let pair = try TLSPair(certificates: certificates)
        try pair.client.start()
        var plaintext: [UInt8] = []
        for piece in stride(from: 0, to: noise.count, by: 7) {
            let bytes = Array(noise[piece..<min(piece + 7, noise.count)])
            _ = try? pair.server.receive(bytes, plaintext: &plaintext)
            _ = try? pair.client.receive(bytes, plaintext: &plaintext)
        }
        #expect(plaintext.isEmpty)
        #expect(throws: TLSError.self) { try pair.server.transportEnded() }
        #expect(throws: TLSError.self) { try pair.client.transportEnded() }
    }

    private static func damage(_ bytes: inout [UInt8], from start: Int = 0, _ random: inout SplitMix) {
        let index = Int.random(in: start..<bytes.count, using: &random)
        bytes[index] ^= UInt8.random(in: 1...255, using: &random)
    }
}
