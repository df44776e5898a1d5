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
        journal.note(
            clockwork.now,
            "\(user.user) \(isMuted ? "mutes" : "unmutes") \(conversation)\(wait.map { " for \($0) ms" } ?? "")"
        )
        engine.configure(user, conversation, isMuted: isMuted, until: until) { _ in }
    }

    func changePolicy() {
        guard setting.kind == .faulty else { return }
        tenant.policy.badgeCountsMuted.toggle()
        journal.note(clockwork.now, "badge_counts_muted becomes \(tenant.policy.badgeCountsMuted)")
        policyChanged()
    }
}
