/// The first bytes of a frame (RFC 6455 section 5.2).
struct WebSocketFrameHeader: Sendable {
    /// The opcodes, continuation included.
    enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    /// The longest payload of a control frame.
    static let controlLimit = 125

    let opcode: Opcode
    let isFinal: Bool
    let payloadLength: Int
    let isMasked: Bool
    /// The bytes of the header itself, mask included.
    let length: Int

    /// Reads a header at an index; nil until its bytes are there. What two bytes can show is refused at two.
    init?(_ bytes: [UInt8], at start: Int, isMasked: Bool) throws(WebSocketError) {
        let available = bytes.count - start
        guard available >= 2 else { return nil }
        let (first, second) = (bytes[start], bytes[start + 1])
        guard first & 0x70 == 0 else { throw .reservedBits }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .unknownOpcode(first & 0x0F) }
        guard (second & 0x80 != 0) == isMasked else { throw .wrongMasking }
        let short = Int(second & 0x7F)
        self.opcode = opcode
        self.isFinal = first & 0x80 != 0
        self.isMasked = isMasked
        guard !opcode.isControl || isFinal && short <= Self.controlLimit else { throw .badControlFrame }
        let lengthBytes = short < 126 ? 0 : short == 126 ? 2 : 8
        self.length = 2 + lengthBytes + (isMasked ? 4 : 0)
        guard available >= 2 + lengthBytes else { return nil }
        let extended = bytes[(start + 2)..<(start + 2 + lengthBytes)].reduce(0 as UInt64) {
            $0 << 8 | UInt64($1)
        }
        self.payloadLength = try Self.payloadLength(short: short, extended: extended)
        guard available >= length else { return nil }
    }

    private static func payloadLength(short: Int, extended: UInt64) throws(WebSocketError) -> Int {
        switch short {
        case 126:
            guard extended > 125 else { throw .badLength }
        case 127:
            guard extended > 0xFFFF, extended <= UInt64(Int64.max) else { throw .badLength }
        default: return short
        }
        return Int(extended)
    }
}
