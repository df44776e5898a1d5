import Domain

@testable import Engine

/// Users and operators change what is allowed.
extension World {
    func mute() {
        let user = dice.pick(clients).user
        let conversation = dice.pick(Self.conversations)
        let isMuted = dice.chance(70)
        let wait: Int64? = dice.chance(70) ? dice.pick([500, 5_000, 40_000]) : nil
        let until = isMuted ? wait.map { clockwork.wall + $0 } : nil
        let word = isMuted ? "mutes" : "unmutes"
        journal.note(clockwork.now, "\(user.user) \(word) \(conversation), \(wait ?? 0) ms")
        engine.configure(user, conversation, isMuted: isMuted, until: until) { _ in }
    }

    /// A window of some minutes about now, in one of the zones: it begins and ends while a world runs.
    func setQuietHours() {
        let user = dice.pick(clients).user
        var change = UserSettings.Change()
        if dice.chance(40) { change.timeZone = .some(dice.chance(70) ? dice.pick(FixedZones.names) : nil) }
        let now = Int(FixedZones.minuteOfDay(at: clockwork.wall, zone: dice.pick(FixedZones.names)))
        let start = (now + dice.pick([1_438, 1_439, 0, 1])) % QuietHours.minutesPerDay
        let end = (start + dice.pick([0, 1, 2, 5, 1_437])) % QuietHours.minutesPerDay
        change.quietHours = .some(dice.chance(70) ? QuietHours(start: start, end: end) : nil)
        journal.note(clockwork.now, "\(user.user) sets \(change)")
        engine.configure(user, change) { _ in }
    }

    func changePolicy() {
        guard setting.kind == .faulty else { return }
        tenant.policy.badgeCountsMuted.toggle()
        journal.note(clockwork.now, "badge_counts_muted becomes \(tenant.policy.badgeCountsMuted)")
        policyChanged()
    }
}
