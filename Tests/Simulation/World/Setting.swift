import Domain

/// What kind of world a seed makes: what may go wrong in it, and the tenant's policy at its beginning.
struct Setting {
    enum Kind: CaseIterable {
        /// Nothing fails: every figure can be told to the millisecond.
        case calm
        /// Processes die, and nothing else fails.
        case mortal
        /// Providers refuse, halt and are slow; the server and its database do not fail.
        case flaky
        /// Everything fails at times.
        case faulty, dire
    }

    let kind: Kind
    var faults: Faults
    let policy: Policy

    init(seed: UInt64) {
        var dice = SeededGenerator(seed: seed, stream: .max)
        kind = Kind.allCases[Int(seed % 5)]
        switch kind {
        case .calm: faults = .none
        case .mortal: faults = .crashesOnly
        case .flaky: faults = .providersOnly
        case .faulty, .dire: faults = .all
        }
        var policy = Policy()
        policy.pushMergeWindow = dice.pick([0, 0, 5_000])
        policy.badgeCountsMuted = dice.chance(30)
        policy.pushRetryMaxAttempts = dice.pick([2, 5])
        policy.pushTTLSeconds = dice.pick([60, 86_400, 86_400])
        policy.largeGroupMembers = 10
        // Most worlds raise the limits, so that what they drop hides nothing else.
        let isLimited = dice.chance(35)
        policy.pushRatePerUserPerMinute = isLimited ? dice.pick([3, 5, 10]) : 1_000
        policy.pushRatePerConversationPerMinute = isLimited ? dice.pick([1, 2, 3]) : 1_000
        policy.mentionReserve = isLimited ? dice.pick([0, 0, 1]) : 0
        policy.timeZone = dice.pick(FixedZones.names)
        policy.wakeBudgetPerHour = dice.pick([1, 3])
        policy.rtcVoIPPushDailyQuota = dice.pick([2, 200])
        self.policy = policy
    }
}

/// What may go wrong in a world; chances in percent.
struct Faults {
    var databaseFails = 0
    var crashes = 0
    var providerRefuses = 0
    var channelFaults = 0
    var tokensDie = 0
    /// Another process takes tokens away, beside the server.
    var tokensTaken = 0
    /// Somebody sets the wall clock.
    var wallJumps = 0
    var providerDelay: Int64 = 40

    static let none = Faults()
    static let crashesOnly = Faults(crashes: 80)
    static let providersOnly = Faults(
        providerRefuses: 10, channelFaults: 10, tokensDie: 2, providerDelay: 2_000)
    static let all = Faults(
        databaseFails: 3, crashes: 20, providerRefuses: 10, channelFaults: 10, tokensDie: 3,
        tokensTaken: 20, wallJumps: 20, providerDelay: 3_000)
}
