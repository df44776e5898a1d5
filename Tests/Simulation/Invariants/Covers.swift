import Domain
import Engine

/// What each device was notified of, as its provider knows it.
struct NotifiedEntries {
    private var seqs: [DeviceKey: [ConversationID: Set<MailboxSeq>]] = [:]

    mutating func accepted(_ push: Push) {
        if let alert = push.draft.alert, push.draft.kind == .alert {
            seqs[push.device, default: [:]][alert.message.conversation.id, default: []]
                .formUnion(push.tasks.map(\.seq))
        }
        for conversation in push.draft.cover?.clear ?? [] { seqs[push.device]?[conversation] = nil }
    }

    /// Signed out, a device shows nothing of before.
    mutating func forget(_ device: DeviceKey) { seqs[device] = nil }

    func of(_ device: DeviceKey, in conversation: ConversationID) -> Set<MailboxSeq> {
        seqs[device]?[conversation] ?? []
    }
}

final class CoversSpareTheUnread: Invariant {
    let sentence = "a cover never destroys what is still unread: it renders it anew, passive and silent"
    unowned let world: World
    private var notified = NotifiedEntries()

    init(_ world: World) { self.world = world }

    func answered(_ push: Push, _ verdict: PushVerdict) {
        if verdict == .accepted { notified.accepted(push) }
    }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.devices where row.profile.isSignedOut { notified.forget(row.key) }
    }

    func left(_ push: Push) {
        guard let cover = push.draft.cover, let ledger = world.database.ledgers[push.user] else { return }
        for conversation in cover.clear {
            let unread = unread(of: push, in: conversation, ledger)
            hold(unread.isEmpty, "\(push) clears \(conversation), whose \(unread.sorted()) are unread")
        }
        guard let rendered = cover.rendered else { return }
        let unread = unread(of: push, in: cover.conversation, ledger)
        hold(
            unread.max() == rendered.mailboxSeq,
            "\(push) shows \(rendered.mailboxSeq) anew in \(cover.conversation), unread are \(unread)")
        hold(!cover.clear.contains(cover.conversation), "\(push) clears what it shows anew")
    }

    /// What the device shows of a conversation, and its user has not read anywhere. A push that a process
    /// did not live to hear of is made once more: it comes behind the cover, or is refused, and then nobody
    /// knows of the first.
    private func unread(of push: Push, in conversation: ConversationID, _ ledger: Ledger) -> Set<MailboxSeq> {
        notified.of(push.device, in: conversation).filter { seq in
            let task = Database.TaskID(user: push.user, device: push.device, seq: seq)
            return seq > ledger.marker(of: conversation) && !ledger.isRecalled(seq)
                && world.database.tasks[task] == nil && world.database.outcomes[task]?.outcome != .dropped
        }
    }
}

final class SilentPushesAreForTheAbsent: Invariant {
    let sentence = "no cover and no badge push for a device that is connected, and none over Web Push"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func left(_ push: Push) {
        guard push.draft.kind == .cover || push.draft.kind == .badge else { return }
        hold(push.draft.token.transport != .webPush, "\(push), which shows nothing, goes over Web Push")
        guard let client = world.client(push.device) else { return }
        hold(
            client.presence.welcomedAt == nil, "\(push), which shows nothing, and \(client.name) is connected"
        )
    }
}

/// At the end, on the screens themselves: whatever was late, lost or repeated on the way.
final class ScreensTellTheTruth: Invariant {
    let sentence = "what was read elsewhere or recalled leaves the screens of devices that are away"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func settled() {
        for client in world.clients where client.screen.excuse == nil && client.canBeTold {
            guard let user = world.database.keys[client.user], let ledger = world.database.ledgers[user]
            else { continue }
            for (conversation, banner) in client.screen.banners {
                let mayStay = banner.replacedAt.map { isOver(banner, conversation, ledger, $0) } ?? false
                hold(
                    mayStay || !isOver(banner, conversation, ledger, ledger.head),
                    "\(client.name) still shows \(banner.seqs.sorted()) of \(conversation), all over")
            }
        }
    }

    /// Whether all of a banner was read or recalled by the time of a revision: an alert of then stands in for
    /// a cover, and if it was lost, the banner stays.
    private func isOver(
        _ banner: Screen.Banner, _ conversation: ConversationID, _ ledger: Ledger, _ revision: Int64
    ) -> Bool {
        banner.seqs.allSatisfy {
            $0 <= ledger.marker(of: conversation, through: revision)
                || ledger.isRecalled($0, through: revision)
        }
    }
}

/// BC-1.
final class BadgesConverge: Invariant {
    let sentence = "once a user's state is quiet, every device that was ever given a badge has total_unread"
    unowned let world: World

    init(_ world: World) { self.world = world }

    func settled() {
        for client in world.clients where client.canBeTold {
            let screen = client.screen
            guard screen.isBadged, !screen.isAmbiguous, !screen.hasLostBadge,
                screen.excuse == nil || screen.excuse == .coverLost,
                let user = world.database.keys[client.user],
                let ledger = world.database.ledgers[user]
            else { continue }
            let counted = ledger.badge(
                through: ledger.head, countsMuted: world.tenant.policy.badgeCountsMuted)
            hold(
                screen.badge == counted.totalUnread,
                "\(client.name) shows \(screen.badge), the count is \(counted)")
        }
    }
}
