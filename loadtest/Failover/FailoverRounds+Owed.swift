import EventLoop

/// What acknowledged messages owe to devices that gave no evidence.
extension FailoverRounds {
    struct Owed: Hashable {
        let token: String
        let message: String
    }

    /// What was acknowledged and has not been pushed to an absent tablet or a silent phone.
    func owed() async throws -> Set<Owed> {
        try await pair.collect()
        let pushed = pushedSoFar
        var owed: Set<Owed> = []
        for number in ledger.snapshot.acknowledged {
            let (user, message) = (number % users, RequestTemplate.messageID(number))
            owed.insert(Owed(token: LoadTenant.token(user), message: message))
            if PhoneEvidence.Manner.of(user: user) == .silent {
                owed.insert(Owed(token: LoadTenant.token(user, device: LoadTenant.phone), message: message))
            }
        }
        return owed.subtracting(pushed)
    }

    var pushedSoFar: Set<Owed> {
        var pushed: Set<Owed> = []
        for (token, pushes) in pair.pushes {
            for push in pushes where push.isAcceptedAlert {
                pushed.insert(Owed(token: token, message: push.messageID))
            }
        }
        return pushed
    }

    /// Waits until all is pushed, or it is late; answers with how much is not.
    func pay(_ owed: Set<Owed>, by limit: Int64) async throws -> Int {
        while true {
            try await pair.collect()
            let unpaid = owed.subtracting(pushedSoFar).count
            if unpaid == 0 || WallClock.now() > limit { return unpaid }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// When the last of it was pushed.
    func lastPush(of owed: Set<Owed>) -> Int64? {
        pair.pushes.values.joined()
            .filter { owed.contains(Owed(token: $0.token, message: $0.messageID)) }.map(\.receivedAt).max()
    }
}
