import Domain
import Engine
import EventLoop
import Wire

/// What the engine says to the device: snapshot, pages, live entries, badge.
extension GatewayConnection {
    func welcome(_ welcome: Welcome) {
        guard let state = link, state.cursor == nil else { return }
        send { $0.welcome(welcome, state.handle.connection) }
        change {
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
        write(new)
        change { $0.catchUpEnd = stream.queuedOffset }
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

    func resume() {
        change { $0.cursor?.restart() }
        pullIfDrained()
    }

    func refused(_ code: String, _ detail: String) { send { $0.error(code, detail) } }

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
        state.handle.pull(after: cursor.writtenSeq, limit: room.settings.catchUpPageEntries)
    }

    // MARK: - State

    /// Coalesced: what is newest within the tenant's window is shown, and never an older state after a newer.
    func show(_ conversations: [ConversationDelta], _ badge: BadgeState?, at seq: MailboxSeq) {
        guard let state = link, state.cursor != nil, seq >= state.shownSeq else { return }
        change {
            $0.shownSeq = seq
            if let badge { $0.pendingBadge = badge }
            for delta in conversations { $0.pendingConversations[delta.id] = delta }
        }
        if link?.pendingConversations.count ?? 0 >= room.settings.pendingConversations { return showState() }
        let window = room.engine.tenants[state.identity.user.tenant]?.policy.sessionDeltaMergeWindow ?? 0
        armStateTimer(afterMilliseconds: Int(window))
    }

    func showState() {
        guard let state = link else { return }
        change {
            $0.pendingBadge = nil
            $0.pendingConversations = [:]
        }
        let deltas = state.pendingConversations.values.sorted { $0.id < $1.id }
        send { frames in
            if !deltas.isEmpty { frames.sessionDelta(deltas) }
            if let badge = state.pendingBadge { frames.badge(badge) }
        }
    }
}
