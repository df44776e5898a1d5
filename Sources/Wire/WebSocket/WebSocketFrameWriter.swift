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

    /// Appends a frame. A server passes no mask; a client passes four fresh random bytes each time.
    package static func write(
        _ opcode: Opcode, _ payload: some Collection<UInt8>, mask: UInt32? = nil, into output: inout [UInt8]
    ) {}

    /// Appends a close frame; the reason is cut to 123 bytes.
    package static func writeClose(
        _ code: WebSocketCloseCode, reason: String = "", mask: UInt32? = nil, into output: inout [UInt8]
    ) {}
}
