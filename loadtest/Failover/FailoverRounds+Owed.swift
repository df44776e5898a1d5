import EventLoop

/// What acknowledged messages owe to devices that gave no evidence.
extension FailoverRounds {
    /// What was acknowledged and has not been pushed to an absent tablet or a silent phone.
    func owed() async throws -> Set<PushedMessage> {
        try await pair.collect()
        var owed: Set<PushedMessage> = []
        for number in ledger.snapshot.acknowledged {
            let (user, message) = (number % users, RequestTemplate.messageID(number))
            owed.insert(PushedMessage(token: LoadTenant.token(user), message: message))
            if PhoneEvidence.Manner.of(user: user) == .silent {
                owed.insert(
                    PushedMessage(token: LoadTenant.token(user, device: LoadTenant.phone), message: message))
            }
        }
        return owed.subtracting(pair.told)
    }

    /// Waits until all is pushed, or it is late; answers with how much is not.
    func pay(_ owed: Set<PushedMessage>, by limit: Int64) async throws -> Int {
        while true {
            try await pair.collect()
            let unpaid = owed.subtracting(pair.told).count
            if unpaid == 0 || WallClock.now() > limit { return unpaid }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// When the last of it was pushed.
    func lastPush(of owed: Set<PushedMessage>) -> Int64? {
        pair.pushes.values.joined()
            .filter { owed.contains(PushedMessage(token: $0.token, message: $0.messageID)) }.map(\.receivedAt)
            .max()
    }
}
