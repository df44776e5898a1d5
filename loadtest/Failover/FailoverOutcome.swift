/// What one round showed.
struct FailoverOutcome: Equatable, Sendable {
    let round: Int
    let blow: FailoverBlow
    var takeover: TakeoverEvidence
    /// Messages acknowledged so far.
    var acknowledged = 0
    /// What else there is to say, for people.
    var remark = ""
    var violations: [String] = []

    init(round: Int, blow: FailoverBlow, takeover: TakeoverEvidence) {
        self.round = round
        self.blow = blow
        self.takeover = takeover
    }

    var line: String {
        let expiry = takeover.expiredAt - takeover.struckAt
        let ready = takeover.readyAt - takeover.struckAt
        let verdict = violations.isEmpty ? "holds" : "DOES NOT HOLD"
        return
            "round \(round), \(blow.rawValue): lease over after \(expiry) ms, standby ready after \(ready) ms, "
            + "\(takeover.owed) messages owed to devices, \(acknowledged) acknowledged; \(remark)\(verdict)"
    }

    static func table(_ outcomes: [FailoverOutcome]) -> RowTable {
        var table = RowTable(
            "rounds",
            [
                .init("round", "round"), .init("blow", "blow"), .init("lease_over_ms", "lease over"),
                .init("ready_ms", "standby ready"), .init("after_lease_ms", "after the lease"),
                .init("owed", "owed"), .init("paid_ms", "last one pushed"),
                .init("acknowledged", "acknowledged"), .init("holds", "verdict"),
            ])
        for outcome in outcomes {
            let seen = outcome.takeover
            table.add([
                .number(Int64(outcome.round)), .text(outcome.blow.rawValue),
                .number(seen.expiredAt - seen.struckAt), .number(seen.readyAt - seen.struckAt),
                .number(seen.readyAt - seen.expiredAt), .number(Int64(seen.owed)),
                RowTable.Cell(seen.paidAt.map { $0 - seen.struckAt }),
                .number(Int64(outcome.acknowledged)),
                .text(outcome.violations.isEmpty ? "holds" : "DOES NOT HOLD"),
            ])
        }
        return table
    }
}
