import Domain

/// What a stored trace calls a step. A code is never given another meaning or form.
enum StepCode: UInt8, CaseIterable {
    case materialised = 1
    case offline, online, held, pushed, extended, due, merging, built, answered, retrying, applied, read
    case recalled, muted, mutedUntil, quietHours, withinLimits, overLimit, joinedUnit, gaveWay, wakeBudget
    case expired, ended
    case offered = 64
    case quota, callBuilt, callEnded, callEndBuilt
}

/// What is stored of a step behind its time, in this order, and how it is shown.
enum StepField {
    /// Not stored: always the same.
    case fixed(StaticString)
    case number(StaticString)
    case numberIfPositive(StaticString)
    /// A word that is stored as a number; nil: of a later version.
    case word(StaticString, (UInt8) -> String?)
    case flag(StaticString)
    /// A minute of the day.
    case clock(StaticString)
    case text(StaticString)
    /// A text that may be a UUID.
    case identifier(StaticString)
}

extension StepCode {
    /// The step's own word.
    var word: StaticString {
        switch self {
        case .materialised: "materialised"
        case .offline, .online: "presence"
        case .held: "held"
        case .pushed: "pushed"
        case .extended: "extended"
        case .due: "due"
        case .merging: "merging"
        case .built, .callBuilt: "built"
        case .answered: "answered"
        case .retrying: "retrying"
        case .applied: "applied"
        case .read: "read"
        case .recalled: "recalled"
        case .muted, .mutedUntil: "muted"
        case .quietHours: "quiet_hours"
        case .withinLimits, .overLimit: "limits"
        case .joinedUnit: "joined_unit"
        case .gaveWay: "gave_way"
        case .wakeBudget: "wake_budget"
        case .expired: "expired"
        case .ended: "ended"
        case .offered: "offered"
        case .quota: "quota"
        case .callEnded: "call_ended"
        case .callEndBuilt: "end_built"
        }
    }

    /// The form of what follows the step's time.
    var fields: [StepField] {
        switch self {
        case .materialised: [.number("mailbox_seq")]
        case .offline: [.fixed(#""online":false"#)]
        case .online: [.fixed(#""online":true"#), .number("connection")]
        case .held, .extended, .merging: [.number("for_ms")]
        case .pushed, .offered: [.number("connection")]
        case .due: [.word("reason") { DueReason(rawValue: $0)?.word }]
        case .built:
            [
                .word("transport") { Transport(rawValue: $0)?.word }, .number("group_size"),
                .number("conversation_unread"), .number("badge"), .number("attempt"),
            ]
        case .answered:
            [
                .word("verdict", PushVerdict.word(of:)), .number("status"), .text("provider_reason"),
                .identifier("provider_id"),
            ]
        case .retrying: [.number("after_ms")]
        case .applied, .read: [.number("through_seq")]
        case .recalled: [.number("by_seq")]
        case .muted: [.fixed(#""until_ms":null"#)]
        case .mutedUntil: [.number("until_ms")]
        case .quietHours:
            [
                .clock("start"), .clock("end"), .clock("local_time"), .text("time_zone"),
                .word("zone_of") { ZoneOrigin(rawValue: $0)?.word },
            ]
        case .withinLimits: [.fixed(#""over":null"#)] + Self.standing
        case .overLimit: [.word("over") { RateLimit(rawValue: $0)?.word }] + Self.standing
        case .joinedUnit: []
        case .gaveWay: [.number("to_seq")]
        case .wakeBudget: [.number("used"), .number("budget"), .flag("silent")]
        case .expired: [.number("expires_at_ms")]
        case .ended:
            [
                .word("outcome") { Outcome(rawValue: $0)?.word },
                .word("reason") { OutcomeReason(rawValue: $0)?.word },
            ]
        case .quota: [.number("used"), .number("limit")]
        case .callBuilt, .callEndBuilt:
            [.word("transport") { Transport(rawValue: $0)?.word }, .number("attempt")]
        case .callEnded: [.text("state"), .text("reason")]
        }
    }

    private static var standing: [StepField] {
        [
            .number("used"), .number("limit"), .numberIfPositive("kept_for_mentions"),
            .number("conversation_used"), .number("conversation_limit"), .number("window_ms"),
        ]
    }
}

extension PushVerdict {
    /// As a stored trace has it.
    var code: UInt8 {
        switch self {
        case .accepted: 1
        case .retry: 2
        case .tokenDead: 3
        case .rejected: 4
        case .channelFault: 5
        }
    }

    static func word(of code: UInt8) -> String? {
        switch code {
        case 1: "accepted"
        case 2: "retry"
        case 3: "token_dead"
        case 4: "rejected"
        case 5: "channel_fault"
        default: nil
        }
    }
}
