/// A call as one of its callees has it: what rings, and how it ended.
package struct CallLeg: Equatable, Sendable {
    package let call: Call
    package internal(set) var state: State
    /// One for each device the user had when the call came.
    package internal(set) var rings: [CallRing]
    /// When the call stops ringing; a leg that has ended is kept until then, so that a repeat finds it.
    let expires: Instant

    package enum State: Equatable, Sendable {
        case ringing
        case answered(by: DeviceID)
        /// By the backend, with its own word.
        case cancelled(reason: String)
        case expired
    }

    /// - Parameter expires: never later than the longest a call may ring: the wall clock may have moved.
    init(_ call: Call, rings: [CallRing] = [], at now: Moment) {
        self.call = call
        self.rings = rings
        state = .ringing
        let left = min(call.expiresAt - now.wall, Call.longestTTLSeconds * 1_000)
        expires = now.instant + max(0, left)
    }

    var isRinging: Bool { state == .ringing }

    var hasFlight: Bool { rings.contains { $0.attempt != nil } }

    /// Whether it is over, and nothing is left to be done for it.
    var isSettled: Bool { !isRinging && !hasFlight && !rings.contains { $0.owesFarewell } }

    /// Devices that were rung, or will be: what the backend is told.
    package var deviceCount: Int { rings.count { $0.counts } }

    /// The next instant at which something of the leg changes by time alone.
    var nextDeadline: Instant? {
        guard isRinging else { return nextFarewell ?? (hasFlight ? nil : expires) }
        var next = expires
        for ring in rings {
            switch ring.state {
            case .offered(let at), .retrying(let at): next = min(next, at)
            case .due, .inFlight, .over: break
            }
        }
        return next
    }

    /// When the next push that tells of the end is tried again, which is never after the leg expires.
    private var nextFarewell: Instant? {
        rings.lazy.compactMap { if case .retrying(let at) = $0.farewell { at } else { nil } }.min()
    }
}

extension CallLeg.State {
    /// The word of the API.
    package var word: String {
        switch self {
        case .ringing: "ringing"
        case .answered: "answered"
        case .cancelled: "cancelled"
        case .expired: "expired"
        }
    }

    /// What a device that stops ringing is told; empty while it rings.
    package var reason: String {
        switch self {
        case .ringing: ""
        case .answered: "answered_elsewhere"
        case .cancelled(let reason): reason
        case .expired: "expired"
        }
    }
}
