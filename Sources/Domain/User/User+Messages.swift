extension User {
    /// A message is materialised: the entry, the badge, and for each device a task or the reason for none.
    ///
    /// - Precondition: the user has no entry of this message (dedup is the shard's, by the log).
    package mutating func messageArrived(
        _ message: Message, _ mention: Mention, at now: Moment, keys: inout KeyAllocator
    ) -> [UserAction] {
        var actions = endMutes(at: now)
        actions.reserveCapacity(8)
        let isOwn = message.sender.user == id
        let conversation = append(
            .message(message, mention, countsUnread: message.countsUnread && !isOwn), at: now, &actions)
        // Told by the message itself, so no record of it is needed to explain.
        if isOwn || !message.wantsPush {
            owe(at: now, &actions)
            return actions
        }
        for index in devices.indices where !devices[index].profile.isSignedOut {
            if policy.disabledRules.contains(.eachDeviceDecides), isOnline(besides: index) { continue }
            if let found = suppression(of: mention, in: conversation, device: index, at: now) {
                suppress(index, found, at: now, &actions)
            } else {
                makeTask(index, message, mention, at: now, keys: &keys, &actions)
            }
        }
        owe(at: now, &actions)
        return actions
    }

    /// The user read a conversation up to a seq. A marker that
    /// stands there already is no change, and no entry.
    package mutating func read(
        _ conversation: ConversationID, through seq: MailboxSeq, by device: DeviceID?, at now: Moment
    ) -> Result<[UserAction], UserRefusal> {
        guard seq <= head else { return .failure(.seqBeyondHead) }
        var actions: [UserAction] = []
        // Only what is there can be read: the marker stops at the conversation's last entry.
        let through = min(seq, conversations[conversation].lastSeq)
        guard through > conversations[conversation].readSeq else {
            toldByAnswer(device, at: now, &actions)
            return .success(actions)
        }
        let firstUnread = conversations[conversation].unread.first?.seq
        append(.read(conversation, through: through, by: device), at: now, &actions)
        revoke(
            conversation, where: { $0 <= through },
            uncounted: firstUnread.flatMap { $0 <= through ? $0 : nil }, .read, knownTo: device, at: now,
            &actions)
        toldByAnswer(device, at: now, &actions)
        return .success(actions)
    }

    /// The answer to a read tells the device that read the badge, also where nothing was left to read.
    private mutating func toldByAnswer(
        _ device: DeviceID?, at now: Moment, _ actions: inout [UserAction]
    ) {
        if let index = device.flatMap({ index($0) }), devices[index].presence == nil,
            devices[index].record.wasBadged
        {
            badgeGiven(index, &actions)
        }
        owe(at: now, &actions)
    }

    /// The user read everything: also what counts for nothing, but is shown somewhere or about to be.
    package mutating func readAll(by device: DeviceID?, at now: Moment) -> [UserAction] {
        var actions: [UserAction] = []
        var isUnread = Set(conversations.all.lazy.filter { !$0.value.unread.isEmpty }.map(\.key))
        for device in devices {
            isUnread.formUnion(device.record.banners.lazy.filter { !$0.entries.isEmpty }.map(\.conversation))
            isUnread.formUnion(device.groups.lazy.map(\.conversation))
            isUnread.formUnion(device.holds.lazy.map { $0.task.message.conversation.id })
        }
        let unread = isUnread.filter { conversations[$0].lastSeq > conversations[$0].readSeq }.sorted()
        for conversation in unread {
            let read = read(conversation, through: conversations[conversation].lastSeq, by: device, at: now)
            if case .success(let more) = read { actions += more }
        }
        if unread.isEmpty { toldByAnswer(device, at: now, &actions) }
        return actions
    }

    private func isOnline(besides index: Int) -> Bool {
        devices.indices.contains { $0 != index && devices[$0].presence != nil }
    }

    private func suppress(
        _ index: Int, _ found: Suppression, at now: Moment, _ actions: inout [UserAction]
    ) {
        let events: [TraceStep.Event?] = [
            .materialised(seq: head), .presence(devices[index].presence?.connection), found.step,
            .ended(.suppressed, found.reason),
        ]
        let trace = events.compactMap { $0.map { TraceStep(at: now.wall, event: $0) } }
        actions.append(.recordOutcome(devices[index].key, head, .suppressed, found.reason, trace))
    }

    private mutating func makeTask(
        _ index: Int, _ message: Message, _ mention: Mention, at now: Moment, keys: inout KeyAllocator,
        _ actions: inout [UserAction]
    ) {
        let presence = devices[index].presence
        var task = PushTask(
            key: keys.allot(), message: message, mention: mention, seq: head, materialisedAt: now.wall,
            largeGroupMembers: policy.largeGroupMembers, trace: [])
        // Its row has no trace: begun before, it would be copied with the next step.
        let grace = presence == nil ? nil : policy.pushGraceWindow
        actions.append(
            .makeTask(
                devices[index].key, task, grace == nil ? .due : .held, dueInMilliseconds: grace ?? 0))
        // Room for its whole life, if it goes out at once.
        task.trace.reserveCapacity(grace == nil ? 7 : 4)
        task.trace.append(TraceStep(at: now.wall, event: .materialised(seq: head)))
        task.trace.append(TraceStep(at: now.wall, event: .presence(presence?.connection)))
        guard let grace else { return fallDue(consume task, device: index, .offline, at: now, &actions) }
        task.trace.append(TraceStep(at: now.wall, event: .held(milliseconds: grace)))
        let until = now.instant + grace
        devices[index].holds.append(Hold(task: task, until: until, isExtended: false))
        actions.append(.wake(at: until))
    }
}
