/// What must be remembered of the pushes that a device was given: what it shows, and the badge it has.
package struct DeviceRecord: Equatable, Sendable {
    /// In the order in which they were shown last, the newest last.
    package internal(set) var banners: [Banner] = []
    /// The newest last.
    package internal(set) var covered: [CoveredBanner] = []
    /// By an accepted push, by its own read, or by a connection on which it was heard afterwards; nil: never.
    package internal(set) var badge: GivenBadge?
    /// A connection has told it another number, and may have ended before that arrived: it may show either.
    package internal(set) var isBadgeDoubtful = false
    /// Badge-only pushes since the device was seen last: the more, the longer until the next.
    package internal(set) var badgePushes = 0
    /// Silent wakes of the last hour; filled in to be stored, and empty in a live state.
    var wakes: [WallTime] = []

    /// Of more conversations a device hardly shows banners; the oldest are forgotten.
    package static let bannersKept = 64

    package init() {}

    var isEmpty: Bool {
        banners.isEmpty && covered.isEmpty && badge == nil && !isBadgeDoubtful && badgePushes == 0
            && wakes.isEmpty
    }

    /// Whether the device ever had a number that may have to be put right.
    var wasBadged: Bool { badge != nil || isBadgeDoubtful }

    /// Whether it is sure that the device has this number.
    func surelyHas(_ total: Int64) -> Bool { !isBadgeDoubtful && badge?.total == total }

    /// Whether the device shows what the user has read elsewhere, or what was recalled.
    var hasStaleBanner: Bool { banners.hasStale }

    func banner(of conversation: ConversationID) -> Banner? {
        banners.first { $0.conversation == conversation }
    }

    /// The push of a group was accepted: it replaces what the device showed of the conversation, and with it
    /// what had been overtaken when it was built. Not sure: nobody knows whether it was accepted.
    mutating func show(_ group: MergeGroup, _ oldest: MessageID, isSure: Bool = true) {
        let newest = bringForward(group.conversation, oldest)
        banners[newest].show(group, oldest, isSure: isSure)
        hasShown(group.conversation)
    }

    /// A task may have been shown, of whose request nothing is known but that it was made: its entry was
    /// overtaken meanwhile by the entry `seq`, or else (nil) stays on the screen.
    mutating func mayShow(_ task: PushTask, overtakenBy seq: MailboxSeq?) {
        let conversation = task.message.conversation.id
        let newest = bringForward(conversation, task.message.id)
        if let seq { banners[newest].staleSince = seq } else { banners[newest].insert(task) }
        hasShown(conversation)
    }

    private mutating func hasShown(_ conversation: ConversationID) {
        if !covered.isEmpty { covered.removeAll { $0.conversation == conversation } }
        if banners.count > Self.bannersKept { banners.removeFirst() }
    }

    /// A push was made that carried a badge, and may have arrived.
    mutating func mayHave(_ given: GivenBadge) {
        if !surelyHas(given.total) { isBadgeDoubtful = true }
    }

    /// Entries were overtaken by the entry `seq`; whether what is shown changes by it. The device that did it
    /// (`isKnown`) has to be told nothing.
    ///
    /// Not each entry that a banner's number counts is among those kept of it, nor was each shown here: it
    /// was built from all that was unread, so that the first entry that is so no more (`uncounted`) tells.
    mutating func overtake(
        _ conversation: ConversationID, where isOvertaken: (MailboxSeq) -> Bool, uncounted: MailboxSeq?,
        by seq: MailboxSeq, isKnown: Bool
    ) -> Bool {
        guard let index = banners.firstIndex(where: { $0.conversation == conversation }),
            let newest = banners[index].entries.last?.seq
        else { return false }
        let isCountStale = !isKnown && uncounted.map { $0 < newest } == true
        guard isCountStale || banners[index].entries.contains(where: { isOvertaken($0.seq) }) else {
            return false
        }
        banners[index].entries.removeAll { isOvertaken($0.seq) }
        if !isKnown { banners[index].staleSince = seq }
        forgetEmpty()
        return true
    }

    /// A cover was accepted that reflects the mailbox through `seq`.
    mutating func cover(_ conversations: [ConversationID], through seq: MailboxSeq) {
        for conversation in conversations {
            guard let index = banners.firstIndex(where: { $0.conversation == conversation }) else { continue }
            if let stale = banners[index].staleSince, stale > seq { continue }
            banners[index].staleSince = nil
            guard banners[index].entries.isEmpty else { continue }
            banners.remove(at: index)
            covered.append(CoveredBanner(conversation: conversation, seq: seq))
        }
        if covered.count > Self.bannersKept { covered.removeFirst(covered.count - Self.bannersKept) }
    }

    /// The app itself has applied everything through `seq`: what was overtaken by then it has removed.
    mutating func appApplied(through seq: MailboxSeq) -> Bool {
        let before = (banners.count, covered.count)
        var hasChanged = false
        for index in banners.indices {
            guard let stale = banners[index].staleSince, stale <= seq else { continue }
            banners[index].staleSince = nil
            hasChanged = true
        }
        covered.removeAll { $0.seq <= seq }
        forgetEmpty()
        return hasChanged || before != (banners.count, covered.count)
    }

    /// Nothing is shown any more that a cover could remove.
    private mutating func forgetEmpty() {
        banners.removeAll { $0.entries.isEmpty && $0.staleSince == nil }
    }

    /// Makes the conversation's banner, which there may not have been so far, the newest; answers with its
    /// place.
    private mutating func bringForward(_ conversation: ConversationID, _ oldest: MessageID) -> Int {
        let place = banners.lastIndex { $0.conversation == conversation }
        guard let place else {
            banners.append(Banner(conversation, oldestMessage: oldest))
            return banners.count - 1
        }
        if place < banners.count - 1 { banners.append(banners.remove(at: place)) }
        return banners.count - 1
    }
}
