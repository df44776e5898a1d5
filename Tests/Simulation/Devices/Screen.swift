import Domain

/// What a person sees of a device without opening the app: the number on the icon, and a banner for each
/// conversation. Pushes come late and in any order; of those for a device that is away its provider keeps,
/// at APNs, the newest alone.
final class Screen {
    /// Of one conversation, under its collapse id.
    struct Banner {
        /// The entries it stands for.
        var seqs: Set<MailboxSeq>
        /// Of the push that showed it last.
        var revision: Int64
        /// Of the newest alert that was to take its place, and that the provider has lost.
        var replacedAt: Int64?
    }

    private(set) var badge: Int64 = 0
    /// Whether it was ever given a badge.
    private(set) var isBadged = false
    private(set) var banners: [ConversationID: Banner] = [:]
    private(set) var isAway = false
    /// The newest push of all that were lost while it was away, and its number.
    private var lost: (revision: Int64, badge: Int64) = (-1, 0)
    private(set) var badgeRevision: Int64 = -1
    /// It was told two numbers of one revision, since a policy moves the number and no entry: of these it can
    /// not know the newer.
    private(set) var isAmbiguous = false
    /// Why a banner may stay that should have gone; none: every banner is judged.
    private(set) var excuse: Excuse?
    private var clearedAt: [ConversationID: Int64] = [:]
    private var readHere: [ConversationID: MailboxSeq] = [:]
    private var stored: [Push] = []
    private var signedOutAt: Int64 = 0
    /// Through which entry the app knows the user's log.
    private var knownThrough: MailboxSeq = 0
    /// That log.
    var ledger: () -> Ledger? = { nil }

    enum Excuse {
        /// A cover was refused for good, or what was to replace a banner was lost to the one place that APNs
        /// has for a device that is away.
        case coverLost
        /// A push was accepted, and the process died before it heard of that.
        case acceptanceUnknown
        /// A sign-out was asked for, and nobody answered: the account may be gone, or not.
        case signOutUnknown
    }

    func excuse(_ reason: Excuse) { excuse = reason }

    // MARK: - Pushes

    /// A push that was accepted reaches the device's side of the provider.
    func arrive(_ push: Push) {
        guard push.leftAt > signedOutAt else { return }
        guard isAway else { return show(push) }
        if push.draft.cover?.mayExpireAtOnce == true { return lose(push) }
        if push.draft.token.transport == .apns {
            stored.forEach(lose)
            // What came late has taken the place of what was to replace it.
            if stored.contains(where: { $0.draft.badgeRevision > push.draft.badgeRevision }) {
                excuse = .coverLost
            }
            stored = []
        }
        stored.append(push)
    }

    /// Whether its provider has lost a number that it does not show, and of which none is older.
    var hasLostBadge: Bool {
        lost.revision > badgeRevision || lost.revision == badgeRevision && lost.badge != badge
    }

    func goAway() { isAway = true }

    func comeBack() {
        isAway = false
        stored.forEach(show)
        stored = []
    }

    private func lose(_ push: Push) {
        if push.draft.badgeRevision >= lost.revision { lost = (push.draft.badgeRevision, push.draft.badge) }
        if push.draft.kind == .cover { excuse = .coverLost }
        if push.draft.kind == .alert, let conversation = push.draft.alert?.message.conversation.id {
            loseAlert(of: conversation, at: push.draft.badgeRevision)
        }
    }

    private func loseAlert(of conversation: ConversationID, at revision: Int64) {
        guard let banner = banners[conversation], banner.revision <= revision else { return }
        banners[conversation]?.replacedAt = max(revision, banner.replacedAt ?? -1)
    }

    private func show(_ push: Push) {
        let revision = push.draft.badgeRevision
        switch push.draft.content {
        case .alert(let alert):
            raise(alert.message.conversation.id, Set(push.tasks.map(\.seq)), at: revision)
            // An alert never carries a 0, which would clear what other pushes have shown.
            if push.draft.badge > 0 { setBadge(push.draft.badge, at: revision) }
        case .cover(let cover):
            for conversation in cover.clear { clear(conversation, at: revision) }
            if let rendered = cover.rendered { redraw(cover.conversation, rendered, at: revision) }
            setBadge(push.draft.badge, at: revision)
        case .badge: setBadge(push.draft.badge, at: revision)
        case .wake, .call, .callCancelled: break
        }
    }

    /// What is older than what is shown changes nothing.
    private func setBadge(_ number: Int64, at revision: Int64) {
        isBadged = true
        take(number, at: revision)
    }

    private func take(_ number: Int64, at revision: Int64) {
        guard revision >= badgeRevision else { return }
        isAmbiguous = revision == badgeRevision && (isAmbiguous || number != badge)
        badgeRevision = revision
        badge = number
    }

    /// What comes late, and the app knows to be read or recalled, it does not show.
    private func isKnownOver(_ seq: MailboxSeq, _ conversation: ConversationID) -> Bool {
        guard knownThrough > 0, let ledger = ledger() else { return false }
        return seq <= ledger.marker(of: conversation, through: knownThrough)
            || ledger.isRecalled(seq, through: knownThrough)
    }

    private func raise(_ conversation: ConversationID, _ seqs: Set<MailboxSeq>, at revision: Int64) {
        let seqs = seqs.filter { $0 > readHere[conversation] ?? 0 && !isKnownOver($0, conversation) }
        guard !seqs.isEmpty, revision >= clearedAt[conversation] ?? -1 else { return }
        var banner = banners[conversation] ?? Banner(seqs: [], revision: revision)
        banner.seqs.formUnion(seqs)
        banner.revision = max(banner.revision, revision)
        banner.replacedAt = nil
        banners[conversation] = banner
    }

    private func clear(_ conversation: ConversationID, at revision: Int64) {
        clearedAt[conversation] = max(revision, clearedAt[conversation] ?? -1)
        if let banner = banners[conversation], banner.revision <= revision { banners[conversation] = nil }
    }

    /// A cover shows anew what is left of a banner, in its place.
    private func redraw(_ conversation: ConversationID, _ rendered: AlertDraft, at revision: Int64) {
        clear(conversation, at: revision)
        raise(conversation, [rendered.mailboxSeq], at: revision)
    }

    // MARK: - The app itself

    /// Signed out, the app shows nothing of the account, nor what comes late of it.
    func forget(at now: Int64) {
        signedOutAt = now
        excuse = nil
        isBadged = false
        badge = 0
        banners = [:]
        stored = []
    }

    /// The app is open, and knows the user's entries through some seq: what is read goes, by its own hand.
    func sync(_ ledger: Ledger, through seq: MailboxSeq) {
        for (conversation, banner) in banners {
            let marker = ledger.marker(of: conversation, through: seq)
            let kept = banner.seqs.filter { $0 > marker && !ledger.isRecalled($0, through: seq) }
            banners[conversation] = kept.isEmpty ? nil : Banner(seqs: kept, revision: banner.revision)
        }
        knownThrough = max(knownThrough, seq)
        if seq == ledger.head { excuse = nil }
    }

    /// The user read here: the reader is owed no cover, and knows what comes late for old.
    func dismiss(_ conversation: ConversationID, through seq: MailboxSeq) {
        readHere[conversation] = max(seq, readHere[conversation] ?? 0)
        guard var banner = banners[conversation] else { return }
        banner.seqs = banner.seqs.filter { $0 > seq }
        banners[conversation] = banner.seqs.isEmpty ? nil : banner
    }

    /// AUTH_OK or BADGE_UPDATE.
    func sync(_ state: BadgeState) { setBadge(state.totalUnread, at: state.projectionSeq) }

    /// The answer to a read of its own, which gives nobody a badge who had none.
    func answered(_ state: BadgeState) { take(state.totalUnread, at: state.projectionSeq) }
}

extension PushDraft {
    var cover: CoverDraft? { if case .cover(let cover) = content { cover } else { nil } }
}
