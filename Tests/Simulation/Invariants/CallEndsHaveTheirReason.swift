import Domain

@testable import Engine

/// The end of a ring that is recorded is true, as that of a task is.
final class CallEndsHaveTheirReason: Invariant {
    let sentence = "a ring ends with a reason, and the reason is true"
    unowned let world: World
    private var accepted: Set<CallTable.RingID> = []
    private var refused: Set<CallTable.RingID> = []
    private var askedAgain: Set<CallTable.RingID> = []

    init(_ world: World) { self.world = world }

    func answered(_ push: Push, _ verdict: PushVerdict) {
        guard let ring = push.ring else { return }
        switch verdict {
        case .accepted: accepted.insert(ring)
        case .rejected, .tokenDead: refused.insert(ring)
        case .retry: askedAgain.insert(ring)
        case .channelFault: break
        }
    }

    func committed(_ transaction: Transaction) {
        for row in transaction.changes.calls.rings {
            guard let end = row.end else { continue }
            hold(
                isTrue(end, row.id, transaction),
                "\(world.client(row.device)?.name ?? "?"): \(end.outcome.word) \(end.reason.word) is not true"
            )
        }
    }

    private func isTrue(_ end: CallRing.End, _ ring: CallTable.RingID, _ transaction: Transaction) -> Bool {
        guard let call = world.database.calls.calls.values.first(where: { $0.key == ring.leg.call }) else {
            return false
        }
        switch (end.outcome, end.reason) {
        case (.notified, .none): return accepted.contains(ring)
        case (.applied, .none): return world.client(ring.device)?.ringing.saidAt[call.id] != nil
        default: return isTrue(end.reason, ring, call, transaction)
        }
    }

    private func isTrue(
        _ reason: OutcomeReason, _ ring: CallTable.RingID, _ call: Call, _ transaction: Transaction
    ) -> Bool {
        let leg = world.database.calls.legs[ring.leg]?.state
        switch reason {
        case .callCancelled: if case .cancelled = leg { return true } else { return false }
        case .answeredElsewhere:
            guard case .answered(let device) = leg else { return false }
            return world.client(ring.device)?.device != device
        // Of a clock that jumps nobody outside can tell; a try that would come too late is not waited for.
        case .expired:
            return call.expiresAt <= world.clockwork.wall || askedAgain.contains(ring)
                || world.setting.faults.wallJumps > 0
        case .noCallToken, .tokenDead, .deviceRemoved:
            return !canRing(ring.device) || !transaction.isUntouched(ring.device)
        case .quotaExceeded:
            return world.database.calls.counts[ring.device]?.used
                == world.setting.policy.rtcVoIPPushDailyQuota
        case .rejected: return refused.contains(ring)
        case .attemptsExhausted: return askedAgain.contains(ring)
        default: return false
        }
    }

    private func canRing(_ device: DeviceKey) -> Bool {
        let tokens = world.database.devices[device]?.tokens.values.map(\.digest.transport) ?? []
        return tokens.contains { Transport.callOrder.contains($0) }
    }
}
