/// Due tasks of one (device, conversation) that become one push.
package struct MergeGroup: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// Collects until the merge window of its first task closes.
        case merging(closes: Instant)
        /// Waits for its turn; still grows if the tenant merges at all.
        case ready
        case inFlight(PushAttempt)
        /// Waits for the next attempt; keeps its ids, so it does not grow.
        case retrying(at: Instant)
    }

    package let conversation: ConversationID
    /// Ascending by seq, never empty.
    package internal(set) var tasks: [PushTask]
    package internal(set) var state: State
    /// Answers about this push so far that asked for another try.
    package internal(set) var attempts = 0
    /// The head when the request was built last.
    var builtSeq: MailboxSeq = 0
    /// The badge it carries.
    var builtBadge: GivenBadge?

    /// Since the request was built, entries that its number counts were read elsewhere, or recalled.
    var isCountStale = false

    /// Whether it is a silent wake, or else an alert; nil: it was never built.
    var isWake: Bool?

    var isReady: Bool { if case .ready = state { true } else { false } }

    var isInFlight: Bool { if case .inFlight = state { true } else { false } }

    /// Due, and no request was made for it so far.
    var isUntried: Bool {
        guard attempts == 0 else { return false }
        if case .merging = state { return true }
        return isReady
    }

    var priority: PushPriority { tasks.priority }

    mutating func insert(_ task: PushTask) {
        let at = tasks.lastIndex { $0.seq < task.seq }.map { $0 + 1 } ?? 0
        tasks.insert(task, at: at)
    }
}

// Of a group's tasks, not of the group: that would be copied for each question.

extension [PushTask] {
    /// The highest priority in a group is the group's.
    var priority: PushPriority {
        var highest = PushPriority.largeGroup
        for task in indices { highest = Swift.min(highest, self[task].priority) }
        return highest
    }

    /// What is shown of a group, should so many entries of the conversation be unread: the text of the newest
    /// mention, else of the newest.
    func alert(unread: Int64) -> AlertDraft? {
        guard let newest = indices.last else { return nil }
        let shown = lastIndex { $0.mention != .none } ?? newest
        return AlertDraft(
            oldestMessage: self[0].message.id, message: self[shown].message, mention: self[shown].mention,
            mailboxSeq: self[newest].seq, count: Swift.max(Int64(count), unread), priority: priority)
    }
}

extension [MergeGroup] {
    var hasFlight: Bool {
        for index in indices { if case .inFlight = self[index].state { return true } }
        return false
    }

    /// The ready group that goes next: by priority, then the oldest.
    var nextReady: Int? {
        var best: (place: Int, priority: PushPriority)?
        for index in indices where self[index].isReady {
            let priority = self[index].tasks.priority
            if best.map({ priority < $0.priority }) ?? true { best = (index, priority) }
        }
        return best?.place
    }
}

/// One request that is with the provider.
package struct PushAttempt: Equatable, Sendable {
    /// The number the shard gave the request.
    package let request: UInt64
    package let token: TokenKey

    package init(request: UInt64, token: TokenKey) {
        self.request = request
        self.token = token
    }
}

extension MergeGroup.State {
    package var word: String {
        switch self {
        case .merging: "merging"
        case .ready: "ready"
        case .inFlight: "in_flight"
        case .retrying: "retrying"
        }
    }
}
