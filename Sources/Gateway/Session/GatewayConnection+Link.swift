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
            $0.shownBadgeSeq = welcome.badge.projectionSeq
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

    // MARK: - Badge

    /// Coalesced: the newest within the tenant's window is shown, and never an older one after a newer.
    func badgeChanged(_ badge: BadgeState) {
        guard let state = link, state.cursor != nil, badge.projectionSeq >= state.shownBadgeSeq,
            badge.projectionSeq >= state.pendingBadge?.projectionSeq ?? 0
        else { return }
        change { $0.pendingBadge = badge }
        let window = room.engine.tenants[state.identity.user.tenant]?.policy.sessionDeltaMergeWindow ?? 0
        armBadgeTimer(afterMilliseconds: Int(window))
    }

    func showBadge() {
        guard let badge = link?.pendingBadge else { return }
        change {
            $0.pendingBadge = nil
            $0.shownBadgeSeq = badge.projectionSeq
        }
        send { $0.badge(badge) }
    }
}
