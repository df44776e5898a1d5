package import Domain

/// The steps of a task as they are stored with its outcome: short, since every push has them, and spelled out
/// as JSON only when somebody asks to have a push explained.
///
/// Format 1: that byte, then each step as its `StepCode`, the time since the step before it (of the first:
/// since 1970), and what its form says. Numbers are base-128 behind a sign in the lowest bit, texts stand
/// behind their length. What was stored before this format is JSON text, and begins with a bracket.
package enum TraceEncoding {
    static let format: UInt8 = 1

    package static func encode(_ steps: [TraceStep]) -> [UInt8] {
        [UInt8](capacity: room(for: steps)) { out in
            out.append(format)
            var last = WallTime(milliseconds: 0)
            for step in steps {
                out.put(step.event, after: step.at - last)
                last = step.at
            }
        }
    }

    /// A step's code and at most eight numbers, of at most ten bytes each.
    private static let roomOfStep = 81

    /// More than the steps can take.
    private static func room(for steps: [TraceStep]) -> Int {
        steps.reduce(1) { room, step in room + roomOfStep + step.event.textBytes }
    }

    /// A stored trace, of whatever format, as JSON text: an array of steps. It is empty for one that a later
    /// version has written.
    package static func json(_ stored: [UInt8]) -> [UInt8] {
        if stored.first == UInt8(ascii: "[") { return stored }
        var reader = TraceReader(stored)
        return reader.json() ?? Array("[]".utf8)
    }
}

/// Writes the fields of each step in the order of its form.
extension OutputSpan<UInt8> {
    fileprivate mutating func put(_ event: TraceStep.Event, after milliseconds: Int64) {
        switch event {
        case .materialised(let seq): put(.materialised, milliseconds, seq)
        case .presence(nil): put(.offline, milliseconds)
        case .presence(let connection?): put(.online, milliseconds, Int64(connection.raw))
        case .held(let window): put(.held, milliseconds, window)
        case .pushed(let connection): put(.pushed, milliseconds, Int64(connection.raw))
        case .extended(let window): put(.extended, milliseconds, window)
        case .due(let reason): put(.due, milliseconds, Int64(reason.rawValue))
        case .merging(let window): put(.merging, milliseconds, window)
        case .built(let size, let unread, let badge, let transport, let attempt):
            put(.built, milliseconds, Int64(transport.rawValue), Int64(size))
            put(unread)
            put(badge)
            put(Int64(attempt))
        case .answered(let verdict, let answer):
            put(.answered, milliseconds, Int64(verdict.code), Int64(answer.status))
            put(text: answer.reason)
            put(identifier: answer.providerID)
        case .retrying(let wait): put(.retrying, milliseconds, wait)
        case .applied(let seq): put(.applied, milliseconds, seq)
        case .read(let seq): put(.read, milliseconds, seq)
        case .recalled(let seq): put(.recalled, milliseconds, seq)
        case .muted(nil): put(.muted, milliseconds)
        case .muted(let until?): put(.mutedUntil, milliseconds, until.milliseconds)
        case .quietHours(let window, let minute, let zone, let origin):
            put(.quietHours, milliseconds, Int64(window.start), Int64(window.end))
            put(Int64(minute))
            put(text: zone)
            put(Int64(origin.rawValue))
        case .limits(let standing, nil):
            put(.withinLimits, milliseconds)
            put(standing)
        case .limits(let standing, let limit?):
            put(.overLimit, milliseconds, Int64(limit.rawValue))
            put(standing)
        case .joinedUnit: put(.joinedUnit, milliseconds)
        case .gaveWay(let seq): put(.gaveWay, milliseconds, seq)
        case .wakeBudget(let used, let budget, let isWake):
            put(.wakeBudget, milliseconds, Int64(used), Int64(budget))
            put(isWake ? 1 : 0)
        case .expiredAt(let time): put(.expired, milliseconds, time.milliseconds)
        case .call(let step): put(step, milliseconds)
        case .ended(let outcome, let reason):
            put(.ended, milliseconds, Int64(outcome.rawValue), Int64(reason.rawValue))
        }
    }

    private mutating func put(_ step: CallStep, _ milliseconds: Int64) {
        switch step {
        case .offered(let connection): put(.offered, milliseconds, Int64(connection.raw))
        case .quota(let used, let limit): put(.quota, milliseconds, Int64(used), Int64(limit))
        case .built(let transport, let attempt):
            put(.callBuilt, milliseconds, Int64(transport.rawValue), Int64(attempt))
        case .endBuilt(let transport, let attempt):
            put(.callEndBuilt, milliseconds, Int64(transport.rawValue), Int64(attempt))
        case .legEnded(let state):
            put(.callEnded, milliseconds)
            put(text: state.word)
            put(text: state.reason)
        }
    }

    private mutating func put(_ standing: RateStanding) {
        put(Int64(standing.used))
        put(Int64(standing.limit))
        put(Int64(standing.reserve))
        put(Int64(standing.conversationUsed))
        put(Int64(standing.conversationLimit))
        put(RateWindow.milliseconds)
    }

    @inline(__always)
    private mutating func put(_ code: StepCode, _ milliseconds: Int64) {
        append(code.rawValue)
        put(milliseconds)
    }

    @inline(__always)
    private mutating func put(_ code: StepCode, _ milliseconds: Int64, _ field: Int64) {
        put(code, milliseconds)
        put(field)
    }

    @inline(__always)
    private mutating func put(_ code: StepCode, _ milliseconds: Int64, _ first: Int64, _ second: Int64) {
        put(code, milliseconds, first)
        put(second)
    }

    private mutating func put(_ value: Int64) {
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    private mutating func put(text: String) {
        let bytes = text.utf8.span
        put(Int64(bytes.count))
        for place in bytes.indices { append(bytes[place]) }
    }

    /// Most are UUIDs, of half the length as numbers.
    private mutating func put(identifier: String) {
        guard let uuid = PackedUUID(identifier) else {
            append(0)
            return put(text: identifier)
        }
        append(uuid.spelling.rawValue)
        for place in 0..<16 { append(uuid[place]) }
    }
}

extension TraceStep.Event {
    /// The texts that it brings, and a byte for what kind of identifier one is.
    fileprivate var textBytes: Int {
        switch self {
        case .answered(_, let answer): answer.reason.utf8.count + answer.providerID.utf8.count + 1
        case .quietHours(_, _, let zone, _): zone.utf8.count
        case .call(.legEnded(let state)): state.word.utf8.count + state.reason.utf8.count
        default: 0
        }
    }
}
