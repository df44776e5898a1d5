/// What must hold of N-3: a muted conversation makes no task and no push but for a mention, and counts
/// what is unread as ever. Pure.
enum N3Checker {
    enum Act: Equatable, Sendable {
        /// The user muted it.
        case muted(String)
        /// The user unmuted it.
        case unmuted(String)
        /// `muted_until` has passed.
        case muteRanOut(String)
        case message(Int, String, mentions: Bool)

        var conversation: String {
            switch self {
            case .muted(let id), .unmuted(let id), .muteRanOut(let id): id
            case .message(_, let id, _): id
            }
        }
    }

    /// What was done with a user, and what was seen right after it.
    struct Step: Equatable, Sendable {
        var act: Act
        /// Of a message: the tasks in its answer.
        var tasks = 0
        var badge = ShownBadge(unread: 0, projectionSeq: 0)
        var conversation: ShownConversation?
    }

    struct User: Sendable {
        var number = 0
        /// Tablet and perhaps phone.
        var devices = 1
        var steps: [Step] = []
        /// At the tablet, which is offline.
        var tabletPushes: [ReceivedPush] = []
        /// At the phone, which is online and applies.
        var phonePushes = 0
        /// The last that the phone was shown; nil without one.
        var phoneBadge: ShownBadge?
        /// Of kind settings, in their order: conversation, and whether it was muted.
        var settings: [(conversation: String, isMuted: Bool)] = []
    }

    /// A message and a mention that wait in one merge window when their conversation is muted.
    struct Waiting: Sendable {
        var user = 0
        var plain = 0
        var mention = 0
        var pushes: [ReceivedPush] = []
        var plainOutcome: ShownOutcome?
        var mentionOutcome: ShownOutcome?
    }

    struct Evidence: Sendable {
        var users: [User] = []
        var waiting: [Waiting] = []
        /// Over all steps, the waiting ones left out.
        var counts = PushCounts()
        /// What is told of some messages that were suppressed.
        var explained: [ShownOutcome?] = []
    }

    static func findings(_ evidence: Evidence) -> Findings {
        var found = Findings()
        for user in evidence.users {
            steps(user, &found)
            pushes(user, &found)
            settings(user, &found)
        }
        for one in evidence.waiting { one.judge("what was muted while it waited", by: "muted", &found) }
        counts(evidence, &found)
        for outcome in evidence.explained where outcome?.state != "suppressed" || outcome?.reason != "muted" {
            found.add(
                "a plain message of a muted conversation is not explained by the mute",
                "\(outcome?.state ?? "nothing"), \(outcome?.reason ?? "")")
        }
        return found
    }

    /// The messages that make tasks, and the badge then.
    static func due(_ user: User) -> [(message: Int, badge: Int64)] {
        var model = UnreadModel()
        return user.steps.compactMap { step in
            model.apply(step.act)
            guard case .message(let number, let id, let mentions) = step.act,
                mentions || !model.muted.contains(id)
            else { return nil }
            return (number, model.badge.unread)
        }
    }

    // MARK: Steps

    private static func steps(_ user: User, _ found: inout Findings) {
        var model = UnreadModel()
        for step in user.steps {
            model.apply(step.act)
            let text = "\(step.act) of \(LoadTenant.user(user.number))"
            if case .message(_, let id, let mentions) = step.act {
                let isDue = mentions || !model.muted.contains(id)
                if !isDue, step.tasks != 0 {
                    found.add("a plain message of a muted conversation made a task", text)
                } else if isDue, step.tasks != user.devices {
                    let kind =
                        mentions ? "a mention did not make its tasks" : "a message did not make its tasks"
                    found.add(kind, "\(text): \(step.tasks) of \(user.devices)")
                }
            }
            badge(step, model, text, &found)
        }
    }

    private static func badge(_ step: Step, _ model: UnreadModel, _ text: String, _ found: inout Findings) {
        let (seen, expected) = (step.badge, model.badge)
        if (seen.unread, seen.mentions, seen.mutedUnread)
            != (expected.unread, expected.mentions, expected.mutedUnread)
        {
            found.add("a badge is not what is unread", "\(text): \(seen), expected \(expected)")
        }
        let id = step.act.conversation
        let unread = model.unread[id] ?? 0
        if let shown = step.conversation, shown.unread == unread, shown.isMuted == model.muted.contains(id) {
            return
        }
        found.add(
            "a conversation does not count each message",
            "\(text): \(step.conversation.map { "\($0.unread)" } ?? "nothing") of \(unread)")
    }

    // MARK: Pushes

    private static func pushes(_ user: User, _ found: inout Findings) {
        let name = LoadTenant.user(user.number)
        var left = user.tabletPushes
        for due in due(user) {
            let id = RequestTemplate.messageID(due.message)
            let mine = left.filter { $0.messageID == id }
            left.removeAll { $0.messageID == id }
            guard mine.count == 1, mine[0].kind == "alert", mine[0].isAccepted else {
                found.add("a message was not pushed once", "\(id) of \(name): \(mine.count)")
                continue
            }
            if mine[0].badge != due.badge {
                found.add(
                    "a push's badge is not the unread",
                    "\(id) of \(name): \(mine[0].badge.map { "\($0)" } ?? "none") of \(due.badge)")
            }
        }
        for push in left {
            found.add("a push came that mute forbids", "\(push.messageID) of \(name) (\(push.kind))")
        }
        if user.phonePushes != 0 {
            found.add("a phone that is online and applies was pushed", "\(name): \(user.phonePushes)")
        }
        guard let shown = user.phoneBadge, let last = user.steps.last?.badge else { return }
        if shown != last { found.add("a phone's last badge is not the user's", "\(name): \(shown), \(last)") }
    }

    private static func settings(_ user: User, _ found: inout Findings) {
        let expected = user.steps.compactMap { step -> String? in
            switch step.act {
            case .muted(let id): "\(id) muted"
            case .unmuted(let id), .muteRanOut(let id): "\(id) not muted"
            case .message: nil
            }
        }
        let seen = user.settings.map { "\($0.conversation) \($0.isMuted ? "muted" : "not muted")" }
        if seen != expected {
            found.add(
                "the mailbox does not tell each mute and its end",
                "\(LoadTenant.user(user.number)): \(seen), expected \(expected)")
        }
    }

    // MARK: Counts

    private static func counts(_ evidence: Evidence, _ found: inout Findings) {
        var (suppressed, made, notified) = (0, 0, 0)
        for user in evidence.users {
            let due = due(user).count
            let messages = user.steps.count { if case .message = $0.act { true } else { false } }
            suppressed += (messages - due) * user.devices
            made += due * user.devices
            notified += due
        }
        let counts = evidence.counts
        found.expect(
            "suppressions by mute, one for each device", counts.outcomes[["suppressed", "muted"]] ?? 0,
            equals: suppressed)
        found.expect("tasks made", counts.tasksMade, equals: made)
        found.expect("tablets notified", counts.outcome("notified"), equals: notified)
        found.expect("tasks still open", counts.tasksOpen, equals: 0)
        if evidence.users.isEmpty { found.add("nothing was looked at", "no user") }
    }
}

/// What must be unread after each step, counted apart from the server.
private struct UnreadModel {
    private(set) var unread: [String: Int64] = [:]
    private(set) var mentions: [String: Int64] = [:]
    private(set) var muted: Set<String> = []

    mutating func apply(_ act: N3Checker.Act) {
        switch act {
        case .muted(let id): muted.insert(id)
        case .unmuted(let id), .muteRanOut(let id): muted.remove(id)
        case .message(_, let id, let isMention):
            unread[id, default: 0] += 1
            if isMention { mentions[id, default: 0] += 1 }
        }
    }

    var badge: ShownBadge {
        var (total, mentioned, hidden): (Int64, Int64, Int64) = (0, 0, 0)
        for (id, count) in unread {
            mentioned += mentions[id] ?? 0
            total += muted.contains(id) ? mentions[id] ?? 0 : count
            hidden += muted.contains(id) ? count : 0
        }
        return ShownBadge(unread: total, mentions: mentioned, mutedUnread: hidden, projectionSeq: 0)
    }
}

extension N3Checker.Waiting {
    /// Of what `waited`, the mention alone is pushed, and the rest is told to be suppressed for `reason`.
    func judge(_ waited: String, by reason: String, _ found: inout Findings) {
        let name = LoadTenant.user(user)
        let mention = RequestTemplate.messageID(mention)
        if pushes.map(\.messageID) != [mention] {
            found.add(
                "\(waited) is not judged again",
                "\(name): pushed \(pushes.map(\.messageID)), only \(mention) may be")
        }
        let outcomes = [plainOutcome, mentionOutcome].map { "\($0?.state ?? "-") \($0?.reason ?? "")" }
        if outcomes != ["suppressed \(reason)", "notified "] {
            found.add("the judgement at build is not told", "\(name): \(outcomes)")
        }
    }
}
