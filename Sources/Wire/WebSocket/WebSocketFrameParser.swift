/// What a peer said, whole messages and control frames.
package enum WebSocketEvent: Equatable, Sendable {
    /// A text message, its UTF-8 checked.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])
    /// A ping; answer with a pong of the same bytes.
    case ping([UInt8])
    /// A pong.
    case pong([UInt8])
    /// A close frame; nothing after it counts.
    case close(WebSocketCloseCode?, reason: String)
}

/// Reads frames (RFC 6455 section 5) and puts messages together.
package struct WebSocketFrameParser: Sendable {
    /// Which side we are: a server takes masked frames only, a client unmasked ones only.
    package enum Role: Sendable {
        case server
        case client
    }

    private enum State: Sendable {
        case open
        case closed
        case failed(WebSocketError)
    }

    private let role: Role
    private let messageLimit: Int
    private var buffer = InputBuffer(idleCapacity: 0)
    private var state = State.open
    /// The message begun by a frame that was not its last.
    private var fragments: (isText: Bool, bytes: [UInt8])?

    /// A parser at the start of the frames; a message over `messageLimit` bytes throws `.messageTooLarge`
    /// as soon as its length is known.
    package init(role: Role, messageLimit: Int = 16_384) {
        self.role = role
        self.messageLimit = messageLimit
    }

    /// Nothing is begun: a fresh parser would read on as this one does.
    package var isIdle: Bool {
        guard case .open = state else { return false }
        return buffer.isEmpty && fragments == nil
    }

    /// Takes bytes off the wire; after a close frame they are dropped.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard case .open = state else { return }
        buffer.append(bytes)
    }

    package mutating func append(_ bytes: [UInt8]) { append(bytes[...]) }

    /// The next event, or nil until more bytes come. After an error it throws the same again.
    package mutating func next() throws(WebSocketError) -> WebSocketEvent? {
        switch state {
        case .open: break
        case .closed: return nil
        case .failed(let error): throw error
        }
        do throws(WebSocketError) {
            while let (header, payload) = try frame() {
                if let event = try event(header, payload) { return event }
            }
            return nil
        } catch {
            state = .failed(error)
            fragments = nil
            _ = buffer.takeAll()
            throw error
        }
    }

    /// The next whole frame, unmasked.
    private mutating func frame() throws(WebSocketError) -> (WebSocketFrameHeader, [UInt8])? {
        let start = buffer.position
        guard let header = try WebSocketFrameHeader(buffer.bytes, at: start, isMasked: role == .server)
        else { return nil }
        try checkOrder(header)
        let begun = header.opcode.isControl ? 0 : fragments?.bytes.count ?? 0
        guard header.opcode.isControl || header.payloadLength <= messageLimit - begun else {
            throw .messageTooLarge
        }
        guard buffer.count >= header.length + header.payloadLength else { return nil }
        let maskStart = start + header.length - 4
        let payloadStart = start + header.length
        var payload = Array(buffer.bytes[payloadStart..<payloadStart + header.payloadLength])
        if header.isMasked { WebSocketMask.apply(buffer.bytes[maskStart..<payloadStart], to: &payload) }
        buffer.consume(header.length + header.payloadLength)
        return (header, payload)
    }

    private func checkOrder(_ header: WebSocketFrameHeader) throws(WebSocketError) {
        guard !header.opcode.isControl else { return }
        guard (header.opcode == .continuation) == (fragments != nil) else { throw .badFragmentation }
    }

    private mutating func event(
        _ header: WebSocketFrameHeader, _ payload: [UInt8]
    ) throws(WebSocketError) -> WebSocketEvent? {
        switch header.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        case .close:
            let event = try close(payload)
            state = .closed
            _ = buffer.takeAll()
            return event
        case .text, .binary:
            let isText = header.opcode == .text
            guard header.isFinal else {
                fragments = (isText, payload)
                return nil
            }
            return try message(isText: isText, payload)
        case .continuation:
            fragments?.bytes.append(contentsOf: payload)
            guard header.isFinal, let whole = fragments else { return nil }
            fragments = nil
            return try message(isText: whole.isText, whole.bytes)
        }
    }

    private func message(isText: Bool, _ bytes: [UInt8]) throws(WebSocketError) -> WebSocketEvent {
        guard isText else { return .binary(bytes) }
        guard UTF8Sequence.firstError(bytes.span) == nil else { throw .invalidUTF8 }
        return .text(bytes)
    }

    private func close(_ payload: [UInt8]) throws(WebSocketError) -> WebSocketEvent {
        guard !payload.isEmpty else { return .close(nil, reason: "") }
        guard payload.count >= 2 else { throw .badCloseCode }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isValidOnWire else { throw .badCloseCode }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidUTF8 }
        return .close(code, reason: reason)
    }
}

/// The mask of RFC 6455 section 5.3.
enum WebSocketMask {
    /// Applies four mask bytes; twice gives the same bytes back.
    static func apply(_ mask: some Collection<UInt8>, to payload: inout [UInt8], from start: Int = 0) {
        var key = [4 of UInt8](repeating: 0)
        for (index, byte) in zip(0..<4, mask) { key[index] = byte }
        for index in start..<payload.count { payload[index] ^= key[(index - start) & 3] }
    }
}
