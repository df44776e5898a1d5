import Domain

/// How much a client may say: beyond it the connection is abuse. Pure.
struct FrameBudget: Equatable {
    private var second: Int64 = .min
    private var inSecond: Int32 = 0
    private var unusable: Int32 = 0

    /// False: too much in this second. A frame that costs us more than others weighs more.
    mutating func take(at now: Instant, atMost limit: Int, weight: Int = 1) -> Bool {
        let second = now.milliseconds / 1_000
        if second != self.second {
            self.second = second
            inSecond = 0
        }
        inSecond = Int32(clamping: Int(inSecond) + weight)
        return inSecond <= limit
    }

    /// False: too many frames that could not be used, over the connection's life.
    mutating func takeUnusable(atMost limit: Int) -> Bool {
        unusable = Int32(clamping: Int(unusable) + 1)
        return unusable <= limit
    }
}
