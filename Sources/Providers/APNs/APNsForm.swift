import Domain

/// What the fields of an APNs request say of a push before anybody looks into it.
///
/// Apple drops what is not as announced: a background push carries neither text, sound nor badge and always
/// goes with priority 5; what carries any of these is an alert.
enum APNsForm: Hashable {
    /// Shown at once.
    case alert
    /// Changes the badge, or takes a banner away, and rings nobody.
    case quiet
    /// Wakes the app, no more.
    case background
    /// Rings as a call. iOS demands that each of these is one.
    case voip

    init(_ draft: PushDraft) {
        switch draft.content {
        case .alert: self = .alert
        case .wake: self = .background
        case .call: self = .voip
        case .cover(let cover) where cover.rendered != nil: self = .quiet
        // Without a badge of its own there is nothing left that an alert may be made of.
        case .cover, .badge, .callCancelled: self = draft.isTokenShared ? .background : .quiet
        }
    }

    var pushType: String {
        switch self {
        case .alert, .quiet: "alert"
        case .background: "background"
        case .voip: "voip"
        }
    }

    var priority: String {
        switch self {
        case .alert, .voip: "10"
        case .quiet, .background: "5"
        }
    }

    /// The topic of an app's token in this form.
    func topic(_ topic: String) -> String { self == .voip ? topic + ".voip" : topic }

    /// Apple's limit, in bytes of UTF-8.
    var maximumByteCount: Int { self == .voip ? 5_120 : 4_096 }

    /// `apns-expiration`, in seconds since 1970; 0 is one attempt, not stored.
    static func expiration(_ draft: PushDraft) -> Int {
        switch draft.content {
        case .call, .callCancelled: 0
        case .cover(let cover) where cover.mayExpireAtOnce: 0
        case .alert, .wake, .cover, .badge: Int(draft.expiresAt.milliseconds / 1_000)
        }
    }
}
