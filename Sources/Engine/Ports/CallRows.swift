package import Domain

package struct CallName: Hashable, Sendable {
    package let tenant: TenantKey
    package let call: CallID

    package init(tenant: TenantKey, call: CallID) {
        self.tenant = tenant
        self.call = call
    }
}

/// What one transaction of a shard writes of calls. Each row once, in its newest version.
package struct CallChanges: Sendable {
    /// Inserted unless a call of that tenant and id is there already (another shard may be first: it wrote
    /// the same row, since the key of a call under way is shared). Sorted by (tenant, id) by the store.
    package var calls: [CallRow] = []
    /// Legs to insert or overwrite, and the rings of legs.
    package var legs: [LegRow] = []
    package var rings: [RingRow] = []
    package var counts: [VoIPCountRow] = []

    package init() {}

    package var isEmpty: Bool { calls.isEmpty && legs.isEmpty && rings.isEmpty && counts.isEmpty }
}

package struct CallRow: Sendable {
    package let tenant: TenantKey
    package let call: Call

    package init(tenant: TenantKey, call: Call) {
        self.tenant = tenant
        self.call = call
    }
}

package struct LegRow: Sendable {
    package let user: UserKey
    package let call: CallKey
    package let state: CallLeg.State
    /// When the leg last changed: it began, or it ended.
    package let changedAt: WallTime

    package init(user: UserKey, call: CallKey, state: CallLeg.State, changedAt: WallTime) {
        self.user = user
        self.call = call
        self.state = state
        self.changedAt = changedAt
    }
}

package struct RingRow: Sendable {
    package let user: UserKey
    package let call: CallKey
    package let device: DeviceKey
    package let state: StoredRingState
    /// When it ends to be offered, is tried again, or ended.
    package let at: WallTime
    package let attempts: Int
    package let chargedDay: Int64?
    /// Set where the state is `over`, and nowhere else. What is over can still become `notified`: it ended
    /// while its request was with the provider.
    package let end: CallRing.End?
    /// JSON, an array of steps; empty until it is over.
    package let trace: [UInt8]

    package init(
        user: UserKey, call: CallKey, device: DeviceKey, state: StoredRingState, at: WallTime,
        attempts: Int = 0, chargedDay: Int64? = nil, end: CallRing.End? = nil, trace: [UInt8] = []
    ) {
        self.user = user
        self.call = call
        self.device = device
        self.state = state
        self.at = at
        self.attempts = attempts
        self.chargedDay = chargedDay
        self.end = end
        self.trace = trace
    }
}

package struct VoIPCountRow: Sendable {
    package let device: DeviceKey
    package let count: VoIPCount

    package init(device: DeviceKey, count: VoIPCount) {
        self.device = device
        self.count = count
    }
}

/// A leg that rings, as its rows have it.
package struct StoredLeg: Sendable {
    package let call: Call
    package let rings: [RingRow]

    package init(call: Call, rings: [RingRow]) {
        self.call = call
        self.rings = rings
    }
}

/// A question whether a call is known, and which of these users have a leg of it.
package struct CallProbe: Sendable {
    package let name: CallName
    package let users: [UserID]

    package init(name: CallName, users: [UserID]) {
        self.name = name
        self.users = users
    }
}

package struct KnownCall: Sendable {
    package let call: Call
    /// The backend's word, if it has cancelled the call as a whole.
    package let cancelled: String?
    /// Of the users asked about, those who have a leg.
    package let legs: [UserID: KnownLeg]

    package init(call: Call, cancelled: String? = nil, legs: [UserID: KnownLeg] = [:]) {
        self.call = call
        self.cancelled = cancelled
        self.legs = legs
    }
}

package struct KnownLeg: Sendable {
    package let state: CallLeg.State
    /// Devices that were rung, or will be.
    package let devices: Int

    package init(state: CallLeg.State, devices: Int) {
        self.state = state
        self.devices = devices
    }
}
