import Domain

/// How much a client may say: beyond it the connection is abuse. Pure.
struct FrameBudget {
    private let perSecond: Int
    private let unusable: Int
    private var second: Int64 = .min
    private var inSecond = 0
    private var unusableSoFar = 0

    init(perSecond: Int, unusable: Int) {
        self.perSecond = perSecond
        self.unusable = unusable
    }

    /// False: too many frames in this second.
    mutating func take(at now: Instant) -> Bool {
        let second = now.milliseconds / 1_000
        if second != self.second {
            self.second = second
            inSecond = 0
        }
        inSecond += 1
        return inSecond <= perSecond
    }

    /// False: too many frames that could not be used.
    mutating func takeUnusable() -> Bool {
        unusableSoFar += 1
        return unusableSoFar <= unusable
    }
}
