/// What was seen when the owner was killed, or paused past its lease.
struct TakeoverEvidence: Equatable, Sendable {
    /// Milliseconds since 1970, as the others.
    let struckAt: Int64
    /// When the lease of the old owner ran out, by the database's record of its last renewal.
    let expiredAt: Int64
    /// When the standby was ready.
    let readyAt: Int64
    /// Messages acknowledged before the blow and not yet pushed to a silent or absent device then.
    var owed = 0
    /// Of those, how many were not pushed in time after the take-over.
    var unpaid = 0
    /// When the last of them was pushed.
    var paidAt: Int64?

    init(struckAt: Int64, expiredAt: Int64, readyAt: Int64) {
        self.struckAt = struckAt
        self.expiredAt = expiredAt
        self.readyAt = readyAt
    }
}

/// The take-over is quick, and what was held for connections that died is pushed.
enum TakeoverChecker {
    static let takeoverMilliseconds: Int64 = 5_000

    static func violations(of seen: TakeoverEvidence) -> [String] {
        var found: [String] = []
        let late = seen.readyAt - seen.expiredAt
        if late > takeoverMilliseconds {
            found.append("the standby was ready \(late) ms after the lease had run out")
        }
        if seen.readyAt < seen.struckAt { found.append("the standby was ready before the owner was struck") }
        if seen.unpaid > 0 {
            found.append("\(seen.unpaid) of \(seen.owed) held messages were not pushed after the take-over")
        }
        return found
    }
}
