import Wire

/// The gateway's own close codes.
enum LinkCloseCode {
    /// 4001, 4003 and 4010 are not to be reconnected by the client itself.
    static let replaced = WebSocketCloseCode(rawValue: 4_001)
    static let refused = WebSocketCloseCode(rawValue: 4_003)
    static let expired = WebSocketCloseCode(rawValue: 4_004)
    static let tooSlow = WebSocketCloseCode(rawValue: 4_008)
    static let signedOut = WebSocketCloseCode(rawValue: 4_010)
    static let goingAway = WebSocketCloseCode(rawValue: 1_001)
    static let policy = WebSocketCloseCode(rawValue: 1_008)
}
