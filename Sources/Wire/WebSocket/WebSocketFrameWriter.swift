/// Writes frames, one per message.
package enum WebSocketFrameWriter {
    /// The kind of a frame.
    package enum Opcode: UInt8, Sendable {
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    /// Appends a frame. A server passes no mask; a client passes four fresh random bytes each time. The
    /// payload of a control frame is at most 125 bytes: longer ones are ours to avoid and trap.
    package static func write(
        _ opcode: Opcode, _ payload: some Collection<UInt8>, mask: UInt32? = nil, into output: inout [UInt8]
    ) {
        let length = payload.count
        precondition(
            opcode.rawValue < 8 || length <= WebSocketFrameHeader.controlLimit, "control frame too long")
        output.append(0x80 | opcode.rawValue)
        appendLength(length, maskBit: mask == nil ? 0 : 0x80, to: &output)
        if let mask { appendBigEndian(UInt64(mask), bytes: 4, to: &output) }
        let start = output.count
        output.append(contentsOf: payload)
        if mask != nil { WebSocketMask.apply(Array(output[(start - 4)..<start]), to: &output, from: start) }
    }

    /// Appends a close frame; the reason is cut to 123 bytes.
    package static func writeClose(
        _ code: WebSocketCloseCode, reason: String = "", mask: UInt32? = nil, into output: inout [UInt8]
    ) {
        let text = TextLimits.truncated(reason, toUTF8Bytes: WebSocketFrameHeader.controlLimit - 2)
        let payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(text.utf8)
        write(.close, payload, mask: mask, into: &output)
    }

    private static func appendLength(_ length: Int, maskBit: UInt8, to output: inout [UInt8]) {
        switch length {
        case ...125: output.append(maskBit | UInt8(length))
        case ...0xFFFF:
            output.append(maskBit | 126)
            appendBigEndian(UInt64(length), bytes: 2, to: &output)
        default:
            output.append(maskBit | 127)
            appendBigEndian(UInt64(length), bytes: 8, to: &output)
        }
    }

    private static func appendBigEndian(_ value: UInt64, bytes: Int, to output: inout [UInt8]) {
        for shift in stride(from: (bytes - 1) * 8, through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}
