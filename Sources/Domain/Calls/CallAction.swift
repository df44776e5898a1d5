/// What a user's calls ask for: the first part is recorded by the transaction of the batch, the second is
/// performed after its commit.
package enum CallAction: Equatable, Sendable {
    case saveLeg(CallLeg)
    case saveRing(Call, CallRing)
    /// The trace of a ring that ended before has grown.
    case noteRing(Call, CallRing)
    case saveCount(DeviceKey, VoIPCount)

    /// CALL
    case ring(ConnectionID, Call)
    /// CALL_CANCELLED
    case tellEnded(ConnectionID, CallID, reason: String)
    /// The device has a call to push: queue it for the channel of its token, in front of all else.
    case queue(DeviceKey, TokenDigest)
}
