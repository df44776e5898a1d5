package import Domain

/// The steps of a task as JSON text: what is stored with an outcome, and what `explain` shows.
package enum TraceEncoding {
    package static func encode(_ steps: [TraceStep]) -> [UInt8] {
        var out = StepWriter()
        for step in steps { out.write(step) }
        return out.finish()
    }
}

/// Steps hold words of ours, numbers, and the provider's reason, which alone is escaped.
private struct StepWriter {
    private var bytes: [UInt8] = [UInt8(ascii: "[")]

    init() { bytes.reserveCapacity(512) }

    mutating func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }

    mutating func write(_ step: TraceStep) {
        put(bytes.count == 1 ? "{\"at_ms\":" : ",{\"at_ms\":")
        put(step.at.milliseconds)
        put(",\"step\":\"")
        write(step.event)
        put("}")
    }

    private mutating func write(_ event: TraceStep.Event) {
        switch event {
        case .materialised(let seq):
            put("materialised\"")
            field(",\"mailbox_seq\":", seq)
        case .presence(let connection):
            put("presence\",\"online\":")
            put(connection == nil ? "false" : "true")
            if let connection { field(",\"connection\":", Int64(connection.raw)) }
        case .held(let milliseconds):
            put("held\"")
            field(",\"for_ms\":", milliseconds)
        case .pushed(let connection):
            put("pushed\"")
            field(",\"connection\":", Int64(connection.raw))
        case .extended(let milliseconds):
            put("extended\"")
            field(",\"for_ms\":", milliseconds)
        case .due(let reason):
            put("due\",\"reason\":\"")
            put(reason.word)
            put("\"")
        case .merging(let milliseconds):
            put("merging\"")
            field(",\"for_ms\":", milliseconds)
        case .built(let size, let unread, let badge, let transport, let attempt):
            put("built\",\"transport\":\"")
            put(transport.word)
            put("\"")
            field(",\"group_size\":", Int64(size))
            field(",\"conversation_unread\":", unread)
            field(",\"badge\":", badge)
            field(",\"attempt\":", Int64(attempt))
        case .answered(let verdict, let answer): write(verdict, answer)
        case .retrying(let after):
            put("retrying\"")
            field(",\"after_ms\":", after)
        case .applied(let seq):
            put("applied\"")
            field(",\"through_seq\":", seq)
        case .read(let seq):
            put("read\"")
            field(",\"through_seq\":", seq)
        case .recalled(let seq):
            put("recalled\"")
            field(",\"by_seq\":", seq)
        case .muted(let until):
            put("muted\",\"until_ms\":")
            if let until { put(until.milliseconds) } else { put("null") }
        case .quietHours(let window, let minute, let zone, let origin):
            put("quiet_hours\",\"start\":\"")
            clock(window.start)
            put("\",\"end\":\"")
            clock(window.end)
            put("\",\"local_time\":\"")
            clock(minute)
            put("\",\"time_zone\":\"")
            escape(zone)
            put("\",\"zone_of\":\"")
            put(origin.word)
            put("\"")
        case .limits(let standing, let limit): write(standing, limit)
        case .joinedUnit: put("joined_unit\"")
        case .gaveWay(let seq):
            put("gave_way\"")
            field(",\"to_seq\":", seq)
        case .wakeBudget(let used, let budget, let isWake):
            put("wake_budget\"")
            field(",\"used\":", Int64(used))
            field(",\"budget\":", Int64(budget))
            put(isWake ? ",\"silent\":true" : ",\"silent\":false")
        case .expiredAt(let time):
            put("expired\"")
            field(",\"expires_at_ms\":", time.milliseconds)
        case .call(let step): write(step)
        case .ended(let outcome, let reason):
            put("ended\",\"outcome\":\"")
            put(outcome.word)
            put("\",\"reason\":\"")
            put(reason.word)
            put("\"")
        }
    }

    private mutating func write(_ step: CallStep) {
        switch step {
        case .offered(let connection):
            put("offered\"")
            field(",\"connection\":", Int64(connection.raw))
        case .quota(let used, let limit):
            put("quota\"")
            field(",\"used\":", Int64(used))
            field(",\"limit\":", Int64(limit))
        case .built(let transport, let attempt):
            put("built\",\"transport\":\"")
            put(transport.word)
            put("\"")
            field(",\"attempt\":", Int64(attempt))
        case .legEnded(let state):
            put("call_ended\",\"state\":\"")
            put(state.word)
            put("\",\"reason\":\"")
            escape(state.reason)
            put("\"")
        }
    }

    private mutating func write(_ verdict: PushVerdict, _ answer: ProviderAnswer) {
        put("answered\",\"verdict\":\"")
        put(verdict.word)
        put("\"")
        field(",\"status\":", Int64(answer.status))
        put(",\"provider_reason\":\"")
        escape(answer.reason)
        put("\",\"provider_id\":\"")
        escape(answer.providerID)
        put("\"")
    }

    private mutating func write(_ standing: RateStanding, _ limit: RateLimit?) {
        put("limits\",\"over\":")
        if let limit {
            put("\"")
            put(limit.word)
            put("\"")
        } else {
            put("null")
        }
        field(",\"used\":", Int64(standing.used))
        field(",\"limit\":", Int64(standing.limit))
        if standing.reserve > 0 { field(",\"kept_for_mentions\":", Int64(standing.reserve)) }
        field(",\"conversation_used\":", Int64(standing.conversationUsed))
        field(",\"conversation_limit\":", Int64(standing.conversationLimit))
        field(",\"window_ms\":", RateWindow.milliseconds)
    }

    /// `HH:MM`
    private mutating func clock(_ minute: Int) {
        for (index, number) in [minute / 60, minute % 60].enumerated() {
            if index == 1 { put(":") }
            if number < 10 { put("0") }
            put(Int64(number))
        }
    }

    private mutating func field(_ name: StaticString, _ value: Int64) {
        put(name)
        put(value)
    }

    private mutating func put(_ text: StaticString) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func put(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        // At most 20, from the last to the first.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = value.magnitude
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for place in first..<20 { bytes.append(digits[place]) }
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20, 0x7f: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
    }
}

extension PushVerdict {
    package var word: String {
        switch self {
        case .accepted: "accepted"
        case .retry: "retry"
        case .tokenDead: "token_dead"
        case .rejected: "rejected"
        case .channelFault: "channel_fault"
        }
    }
}
