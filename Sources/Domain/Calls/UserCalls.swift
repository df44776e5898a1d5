/// The calls of one user that ring, or have rung until a moment ago.
package struct UserCalls: Equatable, Sendable {
    /// More do not ring at once for one user: a leg above it is made, and ends at once.
    package static let maximumRinging = 32
    /// Of legs that have ended so many are remembered at most; their rows tell of the others.
    package static let maximumEnded = 32

    /// In the order in which they came.
    package internal(set) var legs: [CallLeg] = []
    /// VoIP pushes by device, of those that had any.
    package internal(set) var counts: [DeviceKey: VoIPCount] = [:]
    /// Requests that outlived what they were made for.
    var adrift: [UInt64: DeviceKey] = [:]
    /// Devices that the shard has in a channel's queue for a call.
    var queued: Set<DeviceKey> = []

    package subscript(_ id: CallID) -> CallLeg? { legs.first { $0.call.id == id } }

    package var ringingCount: Int { legs.count { $0.isRinging } }

    /// Whether nothing rings, nothing is to be pushed, and no request is with a provider.
    var isQuiet: Bool { adrift.isEmpty && legs.allSatisfy(\.isSettled) }

    var nextDeadline: Instant? { legs.lazy.compactMap(\.nextDeadline).min() }

    mutating func begin(_ leg: CallLeg) {
        let ended = legs.indices.filter { legs[$0].isSettled }
        if ended.count >= Self.maximumEnded { legs.remove(at: ended[0]) }
        legs.append(leg)
    }

    func index(_ id: CallID) -> Int? { legs.firstIndex { $0.call.id == id } }

    /// At most one call's request per device is in flight; an alert's in flight does not count.
    func isInFlight(_ device: DeviceKey) -> Bool {
        adrift.values.contains(device)
            || legs.contains { $0.rings.contains { $0.device == device && $0.attempt != nil } }
    }

    /// The oldest call that is to be pushed to the device.
    func nextDue(_ device: DeviceKey) -> (leg: Int, ring: Int)? {
        for leg in legs.indices {
            if let ring = legs[leg].rings.firstIndex(where: { $0.device == device && $0.isDue }) {
                return (leg, ring)
            }
        }
        return nil
    }

    func flight(_ request: UInt64, device: DeviceKey) -> (leg: Int, ring: Int)? {
        for leg in legs.indices {
            let ring = legs[leg].rings.firstIndex {
                $0.device == device && $0.attempt?.request == request
            }
            if let ring { return (leg, ring) }
        }
        return nil
    }
}
