import Domain
import Engine

/// Every number that leaves the server, in whatever form, is counted anew from the log.
final class BadgeIsTheCount: Invariant {
    let sentence = "every number answered or sent is the fold of all committed entries"
    unowned let world: World
    /// What was in force, and until when a shard may not have heard of the next.
    private var formerPolicies: [(countsMuted: Bool, until: Int64)] = []
    private var countsMuted: Bool

    init(_ world: World) {
        self.world = world
        countsMuted = world.setting.policy.badgeCountsMuted
    }

    /// How long a shard may take to hear of another policy, where nothing fails but what a world lets fail.
    private static let hearing: Int64 = 12_000

    private func noticePolicy() {
        guard countsMuted != world.tenant.policy.badgeCountsMuted else { return }
        formerPolicies.append((countsMuted, world.clockwork.now + Self.hearing))
        countsMuted = world.tenant.policy.badgeCountsMuted
    }

    private func isTrue(_ isCounted: (Bool) -> Bool) -> Bool {
        noticePolicy()
        if isCounted(countsMuted) { return true }
        return formerPolicies.contains { $0.until > world.clockwork.now && isCounted($0.countsMuted) }
    }

    private func isTrue(_ badge: BadgeState, of user: UserKey) -> Bool {
        let ledger = world.database.ledgers[user] ?? Ledger()
        return isTrue { ledger.badge(through: badge.projectionSeq, countsMuted: $0) == badge }
    }

    func left(_ push: Push) {
        let ledger = world.database.ledgers[push.user] ?? Ledger()
        let isNow = isTrue {
            let counted = ledger.badge(through: ledger.head, countsMuted: $0)
            return counted.totalUnread == push.draft.badge
        }
        hold(
            isNow && push.draft.badgeRevision == ledger.head,
            "\(push), but the count is \(ledger.badge(through: ledger.head, countsMuted: countsMuted))")
    }

    func shown(
        _ link: SimulatedLink, _ client: SimulatedClient, _ deltas: [ConversationDelta], _ badge: BadgeState?,
        at seq: MailboxSeq
    ) {
        guard let user = world.database.keys[client.user] else {
            return hold(false, "\(client.name) is shown the state of nobody")
        }
        let ledger = world.database.ledgers[user] ?? Ledger()
        if let badge { hold(isTrue(badge, of: user), "BADGE_UPDATE \(badge) to \(client.name)") }
        for delta in deltas {
            let counted = ledger.unread(in: delta.id, through: seq)
            hold(
                counted.unread == delta.unread && counted.mentions == delta.mentions
                    && delta.readSeq == ledger.marker(of: delta.id, through: seq)
                    && delta.isMuted == ledger.isMuted(delta.id, through: seq),
                "SESSION_DELTA \(delta) at \(seq) to \(client.name), counted \(counted)")
        }
    }

    func welcomed(_ client: SimulatedClient, _ welcome: Welcome, isRevoked: Bool) {
        told(client.user, welcome.badge)
    }

    func told(_ user: UserName, _ badge: BadgeState) {
        guard let key = world.database.keys[user] else {
            return hold(badge == BadgeState(), "\(badge) of \(user.user), of whom nothing is stored")
        }
        hold(isTrue(badge, of: key), "\(badge) is told of \(user.user)")
    }

    func stepEnded() { noticePolicy() }
}
