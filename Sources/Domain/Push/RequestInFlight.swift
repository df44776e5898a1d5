/// What must be known of a request that is with the provider, to settle its outcome.
///
/// The shard keeps it beside the state, which a commit that fails drops: the provider goes on.
package struct RequestInFlight: Equatable, Sendable {
    package let attempt: PushAttempt
    /// The entries that an alert stands for; none: the push shows nothing.
    package let seqs: [MailboxSeq]
    let builtSeq: MailboxSeq
    let builtBadge: GivenBadge?
    /// Whether the alert is a silent wake; nil: it was not decided.
    let isWake: Bool?
    let silent: SilentFlight?

    init(
        attempt: PushAttempt, seqs: [MailboxSeq], builtSeq: MailboxSeq, builtBadge: GivenBadge?,
        isWake: Bool?, silent: SilentFlight?
    ) {
        self.attempt = attempt
        self.seqs = seqs
        self.builtSeq = builtSeq
        self.builtBadge = builtBadge
        self.isWake = isWake
        self.silent = silent
    }

    /// An alert of which nothing is known but its entries.
    package init(_ attempt: PushAttempt, seqs: [MailboxSeq]) {
        self.init(
            attempt: attempt, seqs: seqs, builtSeq: 0, builtBadge: nil, isWake: nil, silent: nil)
    }
}

extension User {
    /// Of a request that was built and has no outcome yet.
    package func inFlight(_ device: DeviceKey, request: UInt64) -> RequestInFlight? {
        guard let index = index(device) else { return nil }
        if devices[index].hasSilentFlight, let silent = devices[index].silentFlight,
            silent.attempt.request == request
        {
            return RequestInFlight(
                attempt: silent.attempt, seqs: [], builtSeq: head, builtBadge: silent.badge, isWake: nil,
                silent: silent)
        }
        return flight(request, device: index).flatMap { devices[index].groups[$0].requestInFlight }
    }

    /// A silent push whose outcome the state that was dropped would have heard.
    package mutating func fliesOn(_ request: RequestInFlight, to device: DeviceKey) {
        guard let silent = request.silent, let index = index(device) else { return }
        devices[index].silentFlight = silent
    }
}

extension MergeGroup {
    fileprivate var requestInFlight: RequestInFlight? {
        guard case .inFlight(let attempt) = state else { return nil }
        return RequestInFlight(
            attempt: attempt, seqs: tasks.map { $0.seq }, builtSeq: builtSeq, builtBadge: builtBadge,
            isWake: isWake, silent: nil)
    }
}
