/// Covering pushes: what a device shows and the user has read elsewhere, or the sender has recalled, is taken
/// from its screen. A cover is state, not event: what is owed follows from the banners alone, so that the
/// newest cover suffices, and one that a crash has lost is owed still.
extension User {
    /// Entries of a conversation were overtaken by the newest entry of the mailbox: what is shown of them is
    /// stale, and what is with the provider is settled with its outcome.
    ///
    /// - Parameter uncounted: the first entry that is unread no more: the number shown beside later ones is
    ///   stale, too, also where the entry itself was never shown; nil: none.
    mutating func overtake(
        _ conversation: ConversationID, where isOvertaken: (MailboxSeq) -> Bool, uncounted: MailboxSeq?,
        knownTo reader: DeviceID?, _ actions: inout [UserAction]
    ) {
        guard !policy.disabledRules.contains(.readsRevoke) else { return }
        for index in devices.indices {
            let isKnown = devices[index].id == reader
            if devices[index].record.overtake(
                conversation, where: isOvertaken, uncounted: uncounted, by: head, isKnown: isKnown)
            {
                actions.append(.saveRecord)
            }
            for group in devices[index].groups.indices
            where devices[index].groups[group].conversation == conversation {
                devices[index].groups[group].overtake(
                    where: isOvertaken, uncounted: uncounted, isKnown: isKnown)
            }
        }
    }

    /// The alert of a group was accepted: its entries are on the screen, but for those that were overtaken
    /// meanwhile, which need a cover. So is what may have been accepted (not `isSure`): what was handed over
    /// counts as shown until its provider says otherwise.
    mutating func bannerShown(_ group: MergeGroup, isSure: Bool = true, device index: Int) {
        guard let oldest = group.tasks.first?.message.id else { return }
        devices[index].record.show(group, oldest, isSure: isSure)
        if group.isCountStale {
            _ = devices[index].record.overtake(
                group.conversation, where: { _ in false }, uncounted: 0, by: head, isKnown: false)
        }
        if group.tasks.contains(where: { $0.overtaken != nil }) { coverOvertaken(group, device: index) }
    }

    private mutating func coverOvertaken(_ group: MergeGroup, device index: Int) {
        for kind in [PushTask.Overtaken.here, .elsewhere] {
            let seqs = group.tasks.filter { $0.overtaken == kind }.map(\.seq)
            guard !seqs.isEmpty else { continue }
            _ = devices[index].record.overtake(
                group.conversation, where: { seqs.contains($0) }, uncounted: nil, by: head,
                isKnown: kind == .here)
        }
    }

    /// The conversations of which a device has to be covered now, in the order in which they were shown.
    ///
    /// A conversation of which another alert is on its way waits for it: the alert takes the banner's place.
    func owedCovers(_ index: Int) -> [Banner] {
        guard devices[index].presence == nil, devices[index].record.banners.hasStale,
            takesSilentPushes(index)
        else { return [] }
        return devices[index].record.banners.filter { banner in
            banner.staleSince != nil
                && !devices[index].groups.contains { $0.conversation == banner.conversation }
        }
    }

    /// What a cover of this moment says: one conversation anew, if something unread is left of one, else all
    /// that is to go.
    func coverDraft(_ index: Int) -> CoverDraft? {
        let owed = owedCovers(index)
        guard let banner = owed.last(where: { !$0.entries.isEmpty }) ?? owed.last else { return nil }
        let record = devices[index].record
        let rendered = render(banner, device: index)
        let gone = owed.filter { $0.entries.isEmpty }.map(\.conversation)
        let clear = record.covered.map(\.conversation).filter { !gone.contains($0) } + gone
        return CoverDraft(
            conversation: banner.conversation,
            clear: clear.filter { $0 != banner.conversation || rendered == nil },
            oldestMessage: banner.oldestMessage, rendered: rendered,
            mayExpireAtOnce: record.banners.contains {
                $0.conversation != banner.conversation && !$0.entries.isEmpty
            })
    }

    /// What stays unread of a banner, as an alert would show it.
    private func render(_ banner: Banner, device index: Int) -> AlertDraft? {
        let kept = banner.entries.compactMap { entry in entry.message.map { (entry, $0) } }
        guard let newest = kept.last else { return nil }
        let shown = kept.last { $0.0.mention != .none } ?? newest
        let unread = Int64(conversations[banner.conversation].unread.count)
        return AlertDraft(
            oldestMessage: banner.oldestMessage, message: shown.1, mention: shown.0.mention,
            mailboxSeq: newest.0.seq,
            count: max(Int64(kept.count), unread),
            priority: PushPriority(shown.1, shown.0.mention, largeGroupMembers: policy.largeGroupMembers))
    }
}

extension MergeGroup {
    /// Only what is with the provider is marked: the rest of the group ends by itself.
    mutating func overtake(
        where isOvertaken: (MailboxSeq) -> Bool, uncounted: MailboxSeq?, isKnown: Bool
    ) {
        guard case .inFlight = state else { return }
        if !isKnown, let uncounted, let newest = tasks.last?.seq, uncounted < newest { isCountStale = true }
        for task in tasks.indices where isOvertaken(tasks[task].seq) {
            tasks[task].overtaken = isKnown ? .here : .elsewhere
        }
    }
}
