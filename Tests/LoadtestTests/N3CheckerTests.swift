import Testing

@testable import RouseLoadtest

@Suite struct N3CheckerTests {
    /// One user with a tablet and a phone: a muted message, one elsewhere, a mention, and the mute's end.
    private static let sound: N3Checker.Evidence = {
        var user = N3Checker.User()
        user.devices = 2
        user.steps = [
            step(.muted("a"), badge: (0, 0, 0), unread: 0, muted: true),
            step(.message(0, "a", mentions: false), badge: (0, 0, 1), unread: 1, muted: true),
            step(.message(1, "b", mentions: false), tasks: 2, badge: (1, 0, 1), unread: 1),
            step(.message(2, "a", mentions: true), tasks: 2, badge: (2, 1, 2), unread: 2, muted: true),
            step(.muteRanOut("a"), badge: (3, 1, 0), unread: 2),
            step(.message(3, "a", mentions: false), tasks: 2, badge: (4, 1, 0), unread: 3),
        ]
        user.tabletPushes = [push(1, badge: 1), push(2, badge: 2), push(3, badge: 4)]
        user.phoneBadge = user.steps.last?.badge
        user.settings = [("a", true), ("a", false)]
        var evidence = N3Checker.Evidence()
        evidence.users = [user]
        evidence.counts.tasksMade = 6
        evidence.counts.outcomes = [["suppressed", "muted"]: 2, ["notified", ""]: 3, ["applied", ""]: 3]
        evidence.explained = [ShownOutcome(state: "suppressed", reason: "muted")]
        evidence.waiting = [
            N3Checker.Waiting(
                user: 1, plain: 8, mention: 9, pushes: [push(9, badge: 1)],
                plainOutcome: ShownOutcome(state: "suppressed", reason: "muted"),
                mentionOutcome: ShownOutcome(state: "notified", reason: ""))
        ]
        return evidence
    }()

    private static func step(
        _ act: N3Checker.Act, tasks: Int = 0, badge: (Int64, Int64, Int64), unread: Int64, muted: Bool = false
    ) -> N3Checker.Step {
        N3Checker.Step(
            act: act, tasks: tasks,
            badge: ShownBadge(
                unread: badge.0, mentions: badge.1, mutedUnread: badge.2, projectionSeq: 0),
            conversation: ShownConversation(act.conversation, unread: unread, isMuted: muted))
    }

    private static func push(_ message: Int, badge: Int64, kind: String = "alert") -> ReceivedPush {
        ReceivedPush(
            sequence: message, token: "t", apnsID: "", kind: kind,
            messageID: RequestTemplate.messageID(message), mailboxSeq: 1, badge: badge)
    }

    private func findings(_ change: (inout N3Checker.Evidence) -> Void) -> [String] {
        var evidence = Self.sound
        change(&evidence)
        return N3Checker.findings(evidence).sentences
    }

    @Test func `silence while muted, and a push for each mention, holds`() {
        #expect(findings { _ in } == [])
    }

    @Test func `a task for a muted plain message is found`() {
        #expect(
            findings { $0.users[0].steps[1].tasks = 2 }.first?.hasPrefix(
                "a plain message of a muted conversation made a task") == true)
        #expect(
            findings { $0.counts.tasksMade = 8 } == ["tasks made: 8 instead of 6"])
        #expect(findings { $0.counts.outcomes[["suppressed", "muted"]] = nil }.count == 1)
    }

    @Test func `a push for a muted plain message is found`() {
        #expect(
            findings { $0.users[0].tabletPushes.append(Self.push(0, badge: 1)) } == [
                "a push came that mute forbids: m-0000000000 of u-000000 (alert)"
            ])
    }

    @Test func `a mention without its task or push is found`() {
        #expect(findings { $0.users[0].steps[3].tasks = 1 }.count == 1)
        #expect(
            findings { $0.users[0].tabletPushes.remove(at: 1) } == [
                "a message was not pushed once: m-0000000002 of u-000000: 0"
            ])
    }

    @Test func `a badge or a conversation that does not count is found`() {
        #expect(
            findings {
                $0.users[0].steps[1].badge = ShownBadge(unread: 1, mutedUnread: 0, projectionSeq: 0)
            }.count == 1)
        #expect(
            findings { $0.users[0].steps[1].conversation = ShownConversation("a", unread: 0, isMuted: true) }
                .count == 1)
        #expect(findings { $0.users[0].steps[4].conversation = nil }.count == 1)
        #expect(
            findings { $0.users[0].tabletPushes[1] = Self.push(2, badge: 3) } == [
                "a push's badge is not the unread: m-0000000002 of u-000000: 3 of 2"
            ])
        #expect(
            findings { $0.users[0].phoneBadge = ShownBadge(unread: 3, projectionSeq: 0) }.count == 1)
    }

    @Test func `a pushed phone and an end that is no entry are found`() {
        #expect(findings { $0.users[0].phonePushes = 1 }.count == 1)
        #expect(findings { $0.users[0].settings.removeLast() }.count == 1)
    }

    @Test func `a push of what was muted while it waited is found`() {
        let found = findings { $0.waiting[0].pushes.insert(Self.push(8, badge: 1), at: 0) }
        #expect(found.first?.hasPrefix("what was muted while it waited is not judged again") == true)
        #expect(findings { $0.waiting[0].plainOutcome = nil }.count == 1)
        #expect(
            findings { $0.explained = [ShownOutcome(state: "notified", reason: "")] } == [
                "a plain message of a muted conversation is not explained by the mute: notified, "
            ])
    }
}
