/// What the peer did wrong; the close code to answer with hangs on it.
package enum WebSocketError: Error, Equatable, Sendable {
    /// Reserved bits without an extension.
    case reservedBits
    /// An opcode nobody defined.
    case unknownOpcode(UInt8)
    /// A client's frame without a mask, or a server's with one.
    case wrongMasking
    /// A control frame in fragments or over 125 bytes.
    case badControlFrame
    /// A continuation of nothing, or a new message inside another.
    case badFragmentation
    /// A length not written in the fewest bytes, or with the top bit set.
    case badLength
    /// Text or a close reason that is not UTF-8.
    case invalidUTF8
    /// A close code that must not be on the wire, or half of one.
    case badCloseCode
    /// A message over the limit.
    case messageTooLarge
    /// The handshake answer is not the one asked for.
    case handshakeRefused(status: Int)
    /// The handshake answer breaks the protocol.
    case badHandshake

    /// The code for the close frame that answers.
    package var closeCode: WebSocketCloseCode {
        switch self {
        case .invalidUTF8: .invalidPayload
        case .messageTooLarge: .messageTooBig
        default: .protocolError
        }
    }
}

/// A close code (RFC 6455 section 7.4).
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = Self(rawValue: 1000)
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    package static let unsupportedData = Self(rawValue: 1003)
    package static let invalidPayload = Self(rawValue: 1007)
    package static let policyViolation = Self(rawValue: 1008)
    package static let messageTooBig = Self(rawValue: 1009)
    package static let internalError = Self(rawValue: 1011)

    /// Whether the code may stand in a close frame.
    package var isValidOnWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
