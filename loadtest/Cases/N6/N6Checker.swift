/// What must hold of N-6: every badge that is answered, shown or pushed is the fold of the user's entries
/// at the seq that it names, no older than it may be; and after quiet every device has been given the last
/// (BC-1). Pure.
enum N6Checker {
    /// A badge that was answered or shown; times are milliseconds since 1970.
    struct Sample: Equatable, Sendable {
        enum Source: String, CaseIterable, Sendable {
            case badgeCall, deviceBadgeCall, mailboxCall, readAnswer, badgeUpdate, welcome
        }

        var source: Source
        var badge: ShownBadge
        var at: Int64
        /// The device that read, of a read's answer; by the number that the world has of it.
        var reader: Int?
    }

    struct Device: Sendable {
        var name = ""
        /// All that the providers got for its token.
        var pushes: [ReceivedPush] = []
        /// By BADGE_UPDATE and AUTH_OK.
        var shown: [Sample] = []
        /// By the answers to its own reads.
        var answered: [Sample] = []
        /// When its connections ended.
        var left: [Int64] = []
        var isOnline = false
    }

    struct User: Sendable {
        var number = 0
        /// Nothing that changes its state came after this moment.
        var quietAt: Int64 = 0
        /// The tenant's settle window and repair interval, in milliseconds.
        var settle: Int64 = 5_000
        var repair: Int64 = 30_000
        var fold = BadgeFold([], countsMuted: false)
        /// By the calls, while all went on.
        var samples: [Sample] = []
        var devices: [Device] = []
        /// By the calls, at the end.
        var last = ShownBadge(unread: 0, projectionSeq: 0)
        var conversations: [String: ShownConversation] = [:]
    }

    struct Evidence: Sendable {
        var users: [User] = []
        var counts = PushCounts()
        /// ERROR frames and calls that were refused, in words.
        var refusals: [String] = []
        /// What the server's own audit says, after everything.
        var audit: [String] = []
        /// How long a push may be under way, a badge be held back, and a sample be: nothing is called stale
        /// for what happened within so long.
        var slack: Int64 = 2_000
        /// And how much later than BC-1's bound a push may be seen.
        var repairSlack: Int64 = 3_000
    }

    static func findings(_ evidence: Evidence) -> Findings {
        var found = Findings()
        for user in evidence.users {
            if !user.fold.isWhole { found.add("a mailbox has a gap or an unknown entry", name(user)) }
            for sample in user.samples { compare(sample.badge, "\(sample.source)", user, &found) }
            for device in user.devices {
                for sample in device.shown { compare(sample.badge, "\(sample.source)", user, &found) }
                stale(device, user, evidence, &found)
                for push in device.pushes { compare(push, device, user, &found) }
                converged(device, user, evidence, &found)
            }
            ends(user, &found)
        }
        for refusal in evidence.refusals { found.add("something was refused", refusal) }
        found.expect("tasks still open", evidence.counts.tasksOpen, equals: 0)
        for violation in evidence.audit { found.add("the audit", violation) }
        presence(evidence, &found)
        return found
    }

    static func name(_ user: User) -> String { LoadTenant.user(user.number) }

    /// Without any of one kind the case has shown nothing.
    private static func presence(_ evidence: Evidence, _ found: inout Findings) {
        var seen: Set<String> = []
        for user in evidence.users {
            seen.formUnion(user.samples.map { $0.source.rawValue })
            for device in user.devices {
                seen.formUnion(device.shown.map { $0.source.rawValue })
                seen.formUnion(device.pushes.map { "\($0.form.provider) \($0.kind)" })
            }
        }
        for kind in Sample.Source.allCases.map(\.rawValue) + ["apns alert"] where !seen.contains(kind) {
            found.add("no badge of one kind was seen", kind)
        }
    }

    // MARK: One badge

    private static func compare(
        _ badge: ShownBadge, _ source: String, _ user: User, _ found: inout Findings
    ) {
        guard let fold = user.fold[badge.projectionSeq] else {
            return found.add("a badge names a seq beyond the head", "\(source) of \(name(user)): \(badge)")
        }
        if fold != badge {
            found.add("a badge is not the fold", "\(source) of \(name(user)): \(badge); the fold: \(fold)")
        }
    }

    private static func compare(
        _ push: ReceivedPush, _ device: Device, _ user: User, _ found: inout Findings
    ) {
        let text = "\(push.kind) \(push.messageID) to the \(device.name) of \(name(user))"
        guard let revision = push.badgeRevision, let badge = push.rouseBadge else {
            return found.add("a push names no badge or no revision", text)
        }
        guard let fold = user.fold[revision] else {
            return found.add("a push's revision is beyond the head", "\(text): \(revision)")
        }
        if fold.unread != badge {
            found.add(
                "a push's badge is not the fold",
                "\(text): \(badge) at seq \(revision), the fold is \(fold.unread)")
        }
        if push.kind == "alert", revision < push.mailboxSeq {
            found.add(
                "a push's badge is older than its message", "\(text): \(revision) < \(push.mailboxSeq)")
        }
        let isLeftOut = badge == 0 && push.kind == "alert" || push.form.provider == .fcm && !push.form.isDrawn
        let shown = isLeftOut || badge == 0 && push.form.provider == .fcm ? nil : badge
        if push.badge != shown {
            found.add(
                "what a device shows is not the push's badge",
                "\(text): \(push.badge.map { "\($0)" } ?? "nothing"), told is \(badge)")
        }
    }

    // MARK: Age

    /// Nothing goes out that is older than what somebody was told a while ago, nor older than the last.
    private static func stale(
        _ device: Device, _ user: User, _ evidence: Evidence, _ found: inout Findings
    ) {
        let known = (user.samples + device.shown).map { (at: $0.at, seq: $0.badge.projectionSeq) }
            .sorted { $0.at < $1.at }
        var highest: [Int64] = []
        for sample in known { highest.append(max(highest.last ?? 0, sample.seq)) }
        func check(_ revision: Int64, _ at: Int64, _ what: String) {
            let before = known.partitioningIndex { $0.at >= at - evidence.slack }
            guard before > 0, revision < highest[before - 1] else { return }
            found.add(
                "a badge is older than what was known",
                "\(what) to the \(device.name) of \(name(user)): seq \(revision), known was "
                    + "\(highest[before - 1])")
        }
        var last: Int64 = 0
        for push in device.pushes {
            let revision = push.badgeRevision ?? 0
            check(revision, push.receivedAt, push.kind)
            if revision < last {
                found.add(
                    "a push's revision is below the one before it",
                    "\(push.kind) to the \(device.name) of \(name(user)): \(revision) after \(last)")
            }
            last = max(last, revision)
        }
        for sample in device.shown { check(sample.badge.projectionSeq, sample.at, "\(sample.source)") }
    }

    // MARK: The end

    private static func ends(_ user: User, _ found: inout Findings) {
        if user.last != user.fold.last {
            found.add(
                "the badge call at the end is not the fold",
                "\(name(user)): \(user.last); the fold: \(user.fold.last)")
        }
        for (id, fold) in user.fold.conversations.sorted(by: { $0.key < $1.key }) {
            guard let shown = user.conversations[id] else {
                if fold.unread > 0 { found.add("a conversation is missing", "\(id) of \(name(user))") }
                continue
            }
            if (shown.unread, shown.mentions, shown.isMuted) != (fold.unread, fold.mentions, fold.isMuted) {
                found.add(
                    "a conversation is not the fold", "\(id) of \(name(user)): \(shown); the fold: \(fold)")
            }
        }
    }
}

extension Array {
    /// The first index whose element satisfies what all later ones satisfy, too.
    fileprivate func partitioningIndex(_ isInRest: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isInRest(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
