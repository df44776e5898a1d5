import Domain
import Engine
import EventLoop
import Wire

/// What the engine says to the device: snapshot, pages, live entries, badge.
extension GatewayConnection {
    func welcome(_ welcome: Welcome) {
        guard let state = link, state.cursor == nil else { return }
        send { $0.welcome(welcome, state.handle.connection) }
        stream.send(state.afterWelcome)
        change {
            $0.afterWelcome = []
            $0.cursor = ReplayCursor(after: welcome.replayAfter, isLive: welcome.isLive)
            $0.catchUpEnd = stream.queuedOffset
            $0.shownSeq = welcome.badge.projectionSeq
        }
        pullIfDrained()
    }

    func page(_ entries: [MailboxEntry], isLast: Bool) {
        guard link?.cursor != nil else { return }
        var new: [MailboxEntry] = []
        change { new = $0.cursor?.take(page: entries, isLast: isLast) ?? [] }
        let start = stream.queuedOffset
        write(new)
        change {
            $0.catchUpEnd = stream.queuedOffset
            $0.pageSize.wrote(
                entries: new.count, bytes: Int(stream.queuedOffset - start),
                atMost: room.settings.catchUpPageEntries)
        }
        armStateTimer()
        pullIfDrained()
    }

    func deliver(_ entries: [MailboxEntry]) {
        guard link?.cursor != nil else { return }
        var new: [MailboxEntry] = []
        change { new = $0.cursor?.take(live: entries) ?? [] }
        write(new)
        checkBacklog()
        pullIfDrained()
    }

    /// In its order among what the engine says: after the catch-up, and before what is live then.
    func ring(_ call: Call) {
        guard link?.cursor != nil else { return }
        send { $0.call(call) }
    }

    func callEnded(_ call: CallID, _ reason: String) {
        guard link?.cursor != nil else { return }
        send { $0.callCancelled(call, reason) }
    }

    func resume() {
        change { $0.cursor?.restart() }
        pullIfDrained()
    }

    func refused(_ code: String, _ detail: String) {
        guard let state = link, state.cursor == nil else { return send { $0.error(code, detail) } }
        var frames = ServerFrames()
        frames.error(code, detail)
        change { $0.afterWelcome += frames.bytes }
    }

    func closeForEngine(_ reason: LinkClose) {
        switch reason {
        case .replaced: close(LinkCloseCode.replaced, "A newer connection of the device took over.")
        case .signedOut: close(LinkCloseCode.signedOut, "The device was signed out.")
        case .credentialRevoked:
            close(LinkCloseCode.refused, "The credential was issued before the device was logged out.")
        case .goingAway: close(LinkCloseCode.goingAway, "Reconnect after a moment.", .drained)
        }
    }

    /// The kernel took more: evidence, and room for the next page.
    func progressed() {
        guard link != nil else { return }
        var pushed: MailboxSeq?
        change { pushed = $0.evidence.taken(through: stream.sentOffset) }
        if let pushed { link?.handle.pushed(through: pushed) }
        pullIfDrained()
    }

    private func write(_ entries: [MailboxEntry]) {
        guard !entries.isEmpty else { return }
        var frames = ServerFrames()
        let start = stream.queuedOffset
        change { state in
            for entry in entries {
                frames.entry(entry)
                state.evidence.written(entry.seq, endingAt: start + UInt64(frames.bytes.count))
            }
        }
        stream.send(frames.bytes)
        room.meters.wrote(entries.count)
    }

    private func pullIfDrained() {
        guard let state = link, let cursor = state.cursor, cursor.wantsPage,
            stream.unsentByteCount <= room.settings.catchUpLowWaterBytes
        else { return }
        change { $0.cursor?.pulled() }
        state.handle.pull(
            after: cursor.writtenSeq, limit: min(state.pageSize.entries, room.settings.catchUpPageEntries))
    }

    // MARK: - State

    /// Coalesced: what is newest within the tenant's window is shown, and never an older state after a newer.
    /// A connection that catches up is shown it once it is live.
    func show(_ conversations: [ConversationDelta], _ badge: BadgeState?, at seq: MailboxSeq) {
        guard let state = link, state.cursor != nil, seq >= state.shownSeq else { return }
        let pending = state.pending ?? PendingState()
        pending.add(conversations, badge)
        change {
            $0.shownSeq = seq
            $0.pending = pending
        }
        if pending.conversations.count >= room.settings.pendingConversations { return showState() }
        armStateTimer()
    }

    private func armStateTimer() {
        guard let state = link, state.cursor?.isLive == true, let pending = state.pending,
            pending.timer == nil
        else { return }
        let window = room.engine.tenants[state.identity.user.tenant]?.policy.sessionDeltaMergeWindow ?? 0
        pending.timer = stream.loop.timers.arm(afterMilliseconds: Int(window)) { [unowned self] in
            link?.pending?.timer = nil
            if link?.cursor?.isLive == true { showState() }
        }
    }

    private func showState() {
        guard let pending = link?.pending else { return }
        change { $0.pending = nil }
        if let timer = pending.timer { stream.loop.timers.cancel(timer) }
        let deltas = pending.conversations.values.sorted { $0.id < $1.id }
        send { frames in
            if !deltas.isEmpty { frames.sessionDelta(deltas) }
            if let badge = pending.badge { frames.badge(badge) }
        }
    }
}
