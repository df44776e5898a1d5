/// What a push is: the word `rouse.kind` of the payload, and part of the `apns-id`.
package enum PushKind: UInt8, CaseIterable, Sendable {
    /// Shows a message, or the number of several.
    case alert = 0
    /// Takes away what was read, and renders anew what was not.
    case cover = 1
    /// Nothing but the number.
    case badge = 2
    /// Wakes the app without a word on the screen.
    case wake = 3
    /// Rings.
    case call = 4
    /// Stops the ringing that a push began.
    case callCancelled = 5

    package var word: String {
        switch self {
        case .alert: "alert"
        case .cover: "cover"
        case .badge: "badge"
        case .wake: "wake"
        case .call: "call"
        case .callCancelled: "call_cancelled"
        }
    }
}

extension Transport {
    /// Whether a token of this transport may ever be sent a push of this kind.
    ///
    /// iOS demands a ringing call of each VoIP push and stops delivering
    /// them to an app that shows none; browsers punish a push that shows nothing. So only Android can be told
    /// by a push that a call is over.
    package func carries(_ kind: PushKind) -> Bool {
        switch self {
        case .apns: kind != .call && kind != .callCancelled
        case .apnsVoIP: kind == .call
        case .fcm: true
        case .webPush: kind == .alert
        }
    }
}
