import Domain

/// A request the sender has, or whose report is not recorded yet.
///
/// An object: it is looked up for each report, and copied for none.
final class Flight {
    /// The user as it was when the request was built.
    let cached: CachedUser
    let device: DeviceKey
    /// The place of its channel in the queues.
    let channel: Int
    let token: TokenKey
    let seqs: [MailboxSeq]
    /// What its outcome is settled by, should the state be dropped meanwhile; nil for a call's.
    let request: RequestInFlight?
    /// Set if it makes a device ring; then it stands for no entries.
    let call: CallID?

    init(
        _ cached: CachedUser, _ device: DeviceKey, _ channel: Int, token: TokenKey,
        request: RequestInFlight? = nil, call: CallID? = nil
    ) {
        self.cached = cached
        self.device = device
        self.channel = channel
        self.token = token
        seqs = request?.seqs ?? []
        self.request = request
        self.call = call
    }
}

extension ShardRunner {
    /// The user whom a request was built for, as the shard has it now; nil: not in memory.
    func user(of flight: Flight) -> CachedUser? { current(flight.cached) }

    /// A user as the shard has it now; nil: not in memory.
    func current(_ cached: CachedUser) -> CachedUser? { cached.hasLeft ? users[cached.name] : cached }
}
