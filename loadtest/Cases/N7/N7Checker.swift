/// What must hold of N-7: far above a limit exactly as many are sent as it allows, the most important first;
/// all else is dropped and counted; nothing queues, and memory does not grow. Pure.
enum N7Checker {
    /// In the order of hand-over.
    enum Weight: Int, Comparable, CustomStringConvertible, Sendable {
        case mention, direct, smallGroup, largeGroup

        var description: String { ["mention", "direct", "small group", "large group"][rawValue] }

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    struct Message: Sendable {
        var number: Int
        var conversation: String
        var weight = Weight.direct
    }

    /// Messages to one user, far above a limit.
    struct Wave: Sendable {
        var name = ""
        var messages: [Message] = []
        /// By device: what its provider got of these messages.
        var pushes: [[ReceivedPush]] = []
        /// Pushes that the limit allows.
        var allowed = 0
        /// Where each conversation has a limit of its own: how many it allows.
        var allowedByConversation: [String: Int] = [:]
        /// All fell due in one moment: the most important go, in their order.
        var isTogether = false
        /// Messages that must be sent whatever else is.
        var mustBeSent: Set<Int> = []
        /// Some were explained: dropped ones.
        var explained: [ShownOutcome?] = []
        /// Tasks in pushes that merged.
        var isMerged = false
    }

    /// While messages were dropped by the thousand, and after each burst.
    struct Load: Equatable, Sendable {
        var burst: Int
        /// Open tasks when the burst was over for a while.
        var depthAfter: Int
        var depthMost: Int
        /// Bytes.
        var resident: Int
    }

    struct Evidence: Sendable {
        var waves: [Wave] = []
        var loads: [Load] = []
        /// Over the waves and bursts before the restart, for which the expected numbers hold.
        var counts = PushCounts()
        var expectedTasks = 0
        var expectedNotified = 0
        var audit: [String] = []
    }

    static func findings(_ evidence: Evidence) -> Findings {
        var found = Findings()
        for wave in evidence.waves {
            numbers(wave, &found)
            if wave.isTogether { order(wave, &found) }
            for outcome in wave.explained
            where outcome?.state != "dropped" || outcome?.reason != "rate_limited" {
                found.add(
                    "what was over the limit is not explained by it",
                    "\(wave.name): \(outcome?.state ?? "nothing"), \(outcome?.reason ?? "")")
            }
        }
        counts(evidence, &found)
        loads(evidence.loads, &found)
        for violation in evidence.audit { found.add("the audit", violation) }
        if evidence.waves.isEmpty { found.add("nothing was looked at", "no wave") }
        return found
    }

    // MARK: Numbers

    private static func numbers(_ wave: Wave, _ found: inout Findings) {
        let numbers = Dictionary(
            wave.messages.map { (RequestTemplate.messageID($0.number), $0) }, uniquingKeysWith: { $1 })
        var sets: [Set<String>] = []
        for (device, pushes) in wave.pushes.enumerated() {
            let text = "\(wave.name), device \(device + 1)"
            let sent = pushes.filter { $0.kind == "alert" && $0.isAccepted }
            if sent.count != wave.allowed {
                found.add(
                    "not exactly as many were sent as the limit allows",
                    "\(text): \(sent.count) of \(wave.allowed)")
            }
            let ids = Set(sent.map(\.messageID))
            if ids.count != sent.count { found.add("a message was sent twice", text) }
            sets.append(ids)
            for (conversation, allowed) in wave.allowedByConversation.sorted(by: { $0.key < $1.key }) {
                let count = sent.count { numbers[$0.messageID]?.conversation == conversation }
                if count != allowed {
                    found.add(
                        "not as many of a conversation were sent as its limit allows",
                        "\(text), \(conversation): \(count) of \(allowed)")
                }
            }
            let missing = wave.mustBeSent.filter { !ids.contains(RequestTemplate.messageID($0)) }
            if !missing.isEmpty {
                found.add(
                    "a mention did not take the place of another", "\(text): \(missing.count) are missing")
            }
        }
        if let first = sets.first, sets.contains(where: { $0 != first }) {
            found.add("a limit favours one device over another", wave.name)
        }
    }

    /// The most important ones, and in their order.
    private static func order(_ wave: Wave, _ found: inout Findings) {
        let weights = Dictionary(
            wave.messages.map { (RequestTemplate.messageID($0.number), $0.weight) },
            uniquingKeysWith: { $1 })
        let expected = wave.messages.map(\.weight).sorted().prefix(wave.allowed)
        for (device, pushes) in wave.pushes.enumerated() {
            let sent = pushes.filter { $0.kind == "alert" && $0.isAccepted }
                .compactMap { weights[$0.messageID] }
            if sent.sorted() != Array(expected) {
                found.add(
                    "not the most important were sent",
                    "\(wave.name), device \(device + 1): \(sent), expected \(Array(expected))")
            } else if sent != Array(expected) {
                found.add(
                    "what is due together does not go in its order",
                    "\(wave.name), device \(device + 1): \(sent)")
            }
        }
    }

    // MARK: Counts

    private static func counts(_ evidence: Evidence, _ found: inout Findings) {
        let counts = evidence.counts
        found.expect("tasks made", counts.tasksMade, equals: evidence.expectedTasks)
        found.expect("tasks notified", counts.outcome("notified"), equals: evidence.expectedNotified)
        found.expect(
            "tasks dropped over the limit", counts.outcomes[["dropped", "rate_limited"]] ?? 0,
            equals: evidence.expectedTasks - evidence.expectedNotified)
        found.expect("tasks still open", counts.tasksOpen, equals: 0)
    }

    /// A tenth and 8 MB are allowed from halfway to the end: the heap is long in settling.
    private static func loads(_ loads: [Load], _ found: inout Findings) {
        guard loads.count >= 4, let last = loads.last else {
            return found.add("nothing was looked at", "\(loads.count) bursts")
        }
        for load in loads where load.depthAfter != 0 {
            found.add("something queues", "\(load.depthAfter) open tasks after burst \(load.burst)")
        }
        let middle = loads[loads.count / 2 - 1]
        if Double(last.resident) > Double(middle.resident) * 1.1 + 8e6 {
            found.add(
                "memory grows from burst to burst",
                "\(middle.resident) bytes after burst \(middle.burst), \(last.resident) after the last")
        }
    }
}
