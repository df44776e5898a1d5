/// A time zone as a value: what its clocks have shown and will show, as seconds east of UTC.
///
/// Made from bytes of the IANA database by `init(name:tzif:)`. Immutable, so that a zone's users share one.
package final class ZoneRules: Sendable {
    package let name: String
    /// Ascending, in seconds since 1970: from each on, the offset of the same index holds.
    private let transitions: [Int64]
    private let offsets: [Int32]
    private let firstOffset: Int32
    /// What holds after the last transition; nil: the last offset, for ever.
    private let later: ZoneYear?

    package static let utc = ZoneRules(name: "UTC")

    /// - Precondition: as many offsets as transitions, which ascend.
    init(
        name: String, transitions: [Int64] = [], offsets: [Int32] = [], firstOffset: Int32 = 0,
        later: ZoneYear? = nil
    ) {
        precondition(transitions.count == offsets.count)
        self.name = name
        self.transitions = transitions
        self.offsets = offsets
        self.firstOffset = firstOffset
        self.later = later
    }

    /// Seconds that the zone's clocks are ahead of UTC.
    package func offset(at time: WallTime) -> Int64 {
        let second = time.milliseconds.dividedDown(by: 1_000)
        if let later, transitions.last.map({ second >= $0 }) ?? true { return later.offset(at: second) }
        let next = transitions.partition(above: second)
        return Int64(next == 0 ? firstOffset : offsets[next - 1])
    }

    /// What the clocks on the wall show, in whole minutes since midnight.
    package func minuteOfDay(at time: WallTime) -> Int {
        let local = time.milliseconds.dividedDown(by: 1_000) + offset(at: time)
        return Int(local.remainderDown(by: 86_400) / 60)
    }
}

extension ZoneRules: Equatable {
    package static func == (left: ZoneRules, right: ZoneRules) -> Bool {
        left === right
            || left.name == right.name && left.transitions == right.transitions
                && left.offsets == right.offsets && left.firstOffset == right.firstOffset
                && left.later == right.later
    }
}

extension ZoneRules {
    /// Whether a text can name a zone: words of letters, digits, `+`, `-` and `_`, with `/` between them.
    ///
    /// Names come from clients and end in a path: none leads out of the database's directory.
    package static func isName(_ text: String) -> Bool {
        guard (1...64).contains(text.utf8.count) else { return false }
        let words = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return words.allSatisfy { word in
            guard let first = word.first, first != UInt8(ascii: "-") else { return false }
            return word.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        }
    }
}

extension [Int64] {
    /// The index of the first element above a value, in an ascending array.
    fileprivate func partition(above value: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > value { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity, so that times before 1970 stay in order.
    func dividedDown(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    func remainderDown(by divisor: Int64) -> Int64 { self - dividedDown(by: divisor) * divisor }
}
