/// What became of the mailboxes, the pushes and the phones.
extension FailoverRounds {
    /// The mailboxes of all users and the pushes to their tablets, once no message is under way.
    func mailboxes() async throws -> [String] {
        let contents = ledger.snapshot
        let awaited = Set(
            contents.acknowledged.map {
                PushedMessage(token: LoadTenant.token($0 % users), message: RequestTemplate.messageID($0))
            })
        for _ in 0..<(Self.pushSeconds * 10) {
            try await pair.collect()
            if awaited.isSubset(of: pair.told) { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        let evidence = try await witness.look(contents, pair.pushes)
        let odd = contents.unexpected.map { "\($0.value) answers \($0.key)" }
        return evidence.flatMap { CrashChecker.violations(of: $0) } + odd
    }

    var witness: CrashWitness {
        CrashWitness(
            server: pair.owner, providers: pair.providers[pair.ownerIndex], tenant: tenant, users: users,
            loop: loop)
    }

    /// After the last round: what was held has run out, and every phone has told what it knows.
    func finish(_ report: inout Report) async throws {
        try await Task.sleep(for: .seconds(20))
        _ = await phones.areOnline(withinMilliseconds: 10_000)
        try await pair.collect()
        let contents = ledger.snapshot
        let mailboxes = try await witness.look(contents, pair.pushes)
        let phones = await phones.evidence().map { phone in complete(phone, mailboxes) }
        report.violations += phones.flatMap { PhoneChecker.violations(of: $0) }
        report.violations += try await AuditWitness.violations(of: pair.owner, loop)
        let pushes = pair.pushes.values.reduce(0) { $0 + $1.count }
        report.add("sent", "messages sent", contents.sent)
        report.add("acknowledged", "messages acknowledged", contents.acknowledged.count)
        report.add("entries", "entries in the mailboxes", mailboxes.reduce(0) { $0 + $1.entries.count })
        report.add("pushes", "requests at the providers", pushes)
        report.add("repeated", "requests repeated under their apns-id", repeats)
        report.add("unanswered", "messages whose connection broke, and were repeated", contents.unanswered)
        report.add("unavailable", "answers 503 or 429, the messages repeated", contents.unavailable)
    }

    func complete(_ phone: PhoneEvidence, _ mailboxes: [UserEvidence]) -> PhoneEvidence {
        var phone = phone
        guard let user = mailboxes.firstIndex(where: { $0.user == phone.user }) else { return phone }
        for entry in mailboxes[user].entries {
            if let id = entry.messageID { phone.entries[id] = entry.seq }
        }
        phone.head = mailboxes[user].head
        phone.pushes = pair.pushes[LoadTenant.token(user, device: LoadTenant.phone)] ?? []
        return phone
    }
}
