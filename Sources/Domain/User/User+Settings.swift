/// What a user sets, for all or for a conversation, and what then ends by itself.
extension User {
    /// The user sets quiet hours, zone or locale; `zone` is the zone that the settings then name, as a value.
    ///
    /// In force at once, also for tasks that are open: each is judged again when its push is built.
    package mutating func configure(_ settings: UserSettings, zone: ZoneRules?) -> [UserAction] {
        self.zone = zone
        guard settings != self.settings else { return [] }
        self.settings = settings
        return [.saveSettings]
    }

    /// The user mutes or unmutes a conversation; `until` names the moment at which a mute ends by itself.
    ///
    /// What stands so already, and a mute whose end has passed, are no change, and no entry. A mute counts
    /// unread as ever; which tasks it forbids is judged when a message arrives and when a push is built.
    package mutating func configure(
        _ conversation: ConversationID, isMuted: Bool, until: WallTime?, at now: Moment
    ) -> [UserAction] {
        var actions = endMutes(at: now)
        let lasts = isMuted && until.map { $0 > now.wall } ?? true
        let before = conversations[conversation]
        guard before.isMuted != lasts || before.mutedUntil != (lasts ? until : nil) else { return actions }
        append(
            .settings(conversation, isMuted: lasts, until: lasts ? until : nil), at: now, &actions)
        armMuteEnd(at: now, &actions)
        owe(at: now, &actions)
        return actions
    }

    /// The state comes from the store: what has run out meanwhile ends now, and the rest is waited for.
    package mutating func resumed(at now: Moment) -> [UserAction] {
        muteEnd = conversations.nextMuteEnd.map { moment(of: $0, at: now) }
        badgeMovedAt = now.instant
        // What a connection told before, and of which state, is known no more.
        for index in devices.indices { devices[index].badgeToldThrough = head }
        var actions = endMutes(at: now)
        resumeOwing(at: now, &actions)
        if let muteEnd { actions.append(.wake(at: muteEnd.instant)) }
        return actions
    }

    /// Mutes that ran out: the end of each is an entry.
    mutating func endMutes(at now: Moment) -> [UserAction] {
        guard let muteEnd, muteEnd.instant <= now.instant || muteEnd.wall <= now.wall else { return [] }
        var actions: [UserAction] = []
        let over = conversations.all.filter {
            $0.value.isMuted && $0.value.mutedUntil.map { $0 <= now.wall } ?? false
        }
        for conversation in over.keys.sorted() {
            append(.settings(conversation, isMuted: false, until: nil), at: now, &actions)
        }
        armMuteEnd(at: now, &actions)
        return actions
    }

    /// Waits for the next end, in memory and, since the user may leave it, in the store.
    private mutating func armMuteEnd(at now: Moment, _ actions: inout [UserAction]) {
        let next = conversations.nextMuteEnd
        muteEnd = next.map { moment(of: $0, at: now) }
        actions.append(.saveWake(next))
        if let muteEnd { actions.append(.wake(at: muteEnd.instant)) }
    }

    /// When the wall clock will show a time, unless it jumps.
    private func moment(of time: WallTime, at now: Moment) -> Moment {
        Moment(instant: now.instant + max(0, time - now.wall), wall: time)
    }
}
