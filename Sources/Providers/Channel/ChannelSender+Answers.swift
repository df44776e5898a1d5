import Domain
import EventLoop
import HTTP

/// From the provider's answer to what it means for the channel.
extension ChannelSender: ConnectionPoolOwner {
    func poolChanged() { endTurnSoon() }

    func poolFailed(reason: String) { pause(nil, reason) }

    func finished(_ tag: Int, _ outcome: HTTP2Outcome, over connection: HTTP2ClientConnection) {
        guard let flight = flights.remove(tag) else { return }
        switch outcome {
        case .response(let response): answered(flight, response, connection)
        case .unprocessed where !flight.push.isResent && flight.generation == generation && gate.isOpen:
            waiting.putBack(PendingPush(request: flight.push.request, isResent: true))
        case .unprocessed: giveBack(flight.push.request, reason: "refused_stream")
        case .unknown(.timedOut): giveBack(flight.push.request, reason: "no_answer", isUnheard: true)
        case .unknown: giveBack(flight.push.request, reason: "connection_lost", isUnheard: true)
        }
        endTurnSoon()
    }

    private func answered(_ flight: Flight, _ response: HTTP2Response, _ connection: HTTP2ClientConnection) {
        guard let dialect else { return giveBack(flight.push.request, reason: "credential_changed") }
        let (judgement, answer) = dialect.read(response)
        report(flight.push.request, judgement.verdict, answer)
        if judgement.verdict == .accepted { accepted += 1 }
        guard flight.generation == generation else { return }
        if judgement.verdict != .channelFault {
            pool?.served(connection)
            gate.accepted()
        }
        if judgement.consequence != .none {
            draw(
                judgement.consequence, answer.reason.isEmpty ? "status_\(answer.status)" : answer.reason,
                connection)
        }
    }

    /// Does what an answer means for the channel; while it waits already, only a longer wait counts.
    private func draw(
        _ consequence: ChannelConsequence, _ reason: String, _ connection: HTTP2ClientConnection
    ) {
        let isRepeated = gate.faults > 0
        switch consequence {
        case .none: break
        case .pause(let wait): pause(wait, reason)
        case .pauseAndReconnect(let wait):
            pool?.drain()
            pause(wait, reason)
        case .reconnect:
            pool?.drain(connection)
            if isRepeated { pause(nil, reason) } else { gate.faulted() }
        case .refreshCredential, .suspectCredential, .halt:
            guard gate.isOpen else { return }
            accuse(consequence, reason, isRepeated: isRepeated)
        }
    }

    /// Twice without a push accepted in between, and a credential is taken for wrong.
    private func accuse(_ consequence: ChannelConsequence, _ reason: String, isRepeated: Bool) {
        if consequence != .refreshCredential { pool?.drain() }
        if consequence == .halt || isRepeated
            || consequence == .refreshCredential && dialect?.renewAuthorization() == false
        {
            fault(reason) { $0.halt(reason: reason, at: $1, jitter: $2) }
        } else {
            pause(nil, reason)
        }
    }

    private func pause(_ milliseconds: Int64?, _ reason: String) {
        fault(reason) { $0.pause(milliseconds: milliseconds, reason: reason, at: $1, jitter: $2) }
    }

    func fault(_ reason: String, _ change: (inout ChannelGate, Instant, Double) -> Void) {
        lastError = reason
        change(&gate, Instant(milliseconds: MonotonicClock.nowMilliseconds()), .random(in: 0..<1))
        guard let instant = gate.reopensAt else { return }
        if let reopening { loop.timers.cancel(reopening) }
        let wait = instant.milliseconds - MonotonicClock.nowMilliseconds()
        reopening = loop.timers.arm(afterMilliseconds: Int(max(0, wait))) { [weak self] in self?.reopen() }
    }

    private func reopen() {
        reopening = nil
        _ = gate.tick(at: Instant(milliseconds: MonotonicClock.nowMilliseconds()))
        endTurn()
    }
}
