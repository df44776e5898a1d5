import EventLoop
import Glibc

/// The owner is told to end, and says goodbye.
extension FailoverRounds {
    func drain(_ round: Int, _ traffic: FailoverTraffic) async throws -> FailoverOutcome {
        let (old, server) = (pair.ownerIndex, pair.owner)
        let epoch = await leases.epoch
        try await pair.collect()
        let silent = silentMessages()
        let online = phones.notes.begin()
        var seen = DrainEvidence(signalledAt: WallClock.now())
        seen.connected = online
        seen.repeatsBefore = repeats
        server.signal(SIGTERM)
        async let ending = server.ended(withinMilliseconds: 20_000)
        let takeover = try await takeOver(seen.signalledAt, epoch, expiredAt: seen.signalledAt)
        seen.exitCode = await ending?.code
        seen.codes = Self.firstEnds(phones.notes.end())
        try await pair.launchStandby(old)
        try await Task.sleep(for: .seconds(1))
        try await traffic.end()
        let wait = seen.signalledAt + Self.windowMilliseconds - WallClock.now()
        try await Task.sleep(for: .milliseconds(max(0, wait)))
        try await pair.collect()
        seen.repeatsAfter = repeats
        let firstPushes = firstPushes()
        let receipts = await phones.receipts().filter { $0.value < seen.signalledAt }
        seen.held = silent.map { held in
            var held = held
            held.writtenAt = receipts[held.message]
            held.pushedAt = firstPushes[held.message]
            return held
        }
        var outcome = FailoverOutcome(round: round, blow: .drain, takeover: takeover)
        let waits = seen.waits.map { " \($0.lowerBound)–\($0.upperBound) ms after the receipt" } ?? ""
        outcome.remark = "\(seen.held.count) holds, pushed\(waits); "
        outcome.violations = DrainChecker.violations(of: seen)
        return outcome
    }

    /// What waits for a silent phone's evidence now.
    func silentMessages() -> [DrainEvidence.Held] {
        let pushed = firstPushes()
        return ledger.snapshot.acknowledgedAt.compactMap { number, at in
            let message = RequestTemplate.messageID(number)
            guard PhoneEvidence.Manner.of(user: number % users) == .silent, pushed[message] == nil else {
                return nil
            }
            return DrainEvidence.Held(message: message, acknowledgedAt: at)
        }
    }

    /// When the provider got the first request for each message of a silent phone.
    func firstPushes() -> [String: Int64] {
        var first: [String: Int64] = [:]
        for user in 0..<users where PhoneEvidence.Manner.of(user: user) == .silent {
            for push in pair.pushes[LoadTenant.token(user, device: LoadTenant.phone)] ?? [] {
                first[push.messageID] = min(first[push.messageID] ?? .max, push.receivedAt)
            }
        }
        return first
    }

    static func firstEnds(_ notes: [PhoneNote]) -> [Int: UInt16] {
        var codes: [Int: UInt16] = [:]
        for note in notes {
            if case .ended(let code) = note.kind, codes[note.device] == nil { codes[note.device] = code }
        }
        return codes
    }

    /// Requests beyond the first for a message and device.
    var repeats: Int {
        pair.pushes.values.reduce(0) { sum, pushes in
            let accepted = pushes.filter { $0.isAcceptedAlert }
            return sum + accepted.count - Set(accepted.map(\.messageID)).count
        }
    }
}
