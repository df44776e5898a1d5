import Testing
import Wire

@testable import RouseLoadtest

@Suite struct N1CheckerTests {
    /// Two users with two messages each, all as it must be.
    private func sound() throws -> N1Checker.Evidence {
        var evidence = N1Checker.Evidence()
        evidence.users = 2
        evidence.messages = 4
        evidence.acknowledgedTasks = 8
        evidence.pushes = (0..<4).map { push($0, badge: Int64($0 / 2 + 1)) }
        evidence.counts.tasksMade = 8
        evidence.counts.outcomes = [["notified", ""]: 4, ["applied", ""]: 4]
        evidence.counts.pd1Violations = 0
        evidence.unread = [2, 2]
        evidence.phones = try (0..<2).map { try phone([$0, $0 + 2]) }
        return evidence
    }

    private func push(
        _ message: Int, to device: String = LoadTenant.device, badge: Int64? = nil, status: Int = 200,
        kind: String = "alert"
    ) -> ReceivedPush {
        ReceivedPush(
            sequence: message + 1, token: LoadTenant.token(message % 2, device: device),
            apnsID: "a\(message)",
            kind: kind,
            messageID: RequestTemplate.messageID(message), mailboxSeq: Int64(message / 2 + 1), badge: badge,
            status: status)
    }

    private func phone(_ messages: [Int], seqs: [Int64]? = nil) throws -> DeviceObservation {
        let json = """
            {"connection":"c","mailbox_id":"\(UUIDBytes(high: 1, low: 0).text)","mailbox_seq":0,
             "first_mailbox_seq":1,"truncated":false}
            """
        var seen = DeviceObservation()
        let root = try JSONDocument(parsing: Array(json.utf8)).root
        seen.welcomed(try #require(WelcomeFrame(root)), isFromHead: false, at: 1)
        for (index, message) in messages.enumerated() {
            let seq = seqs?[index] ?? Int64(index) + 1
            seen.received(seq, keeping: SeenEntry(message: Int32(message), receivedAt: 2))
        }
        seen.showed(ShownBadge(unread: Int64(messages.count), projectionSeq: Int64(messages.count)))
        return seen
    }

    private func findings(_ change: (inout N1Checker.Evidence) throws -> Void) throws -> [String] {
        var evidence = try sound()
        try change(&evidence)
        return N1Checker.findings(evidence).sentences
    }

    @Test func `a push for each tablet and message, and none for a phone, holds`() throws {
        #expect(try findings { _ in } == [])
    }

    @Test func `a missing push is found`() throws {
        #expect(
            try findings { $0.pushes.remove(at: 1) } == [
                "a push for a tablet is missing: m-0000000001 of u-000001"
            ])
    }

    @Test func `a push that comes twice is found`() throws {
        #expect(
            try findings { $0.pushes.insert(push(0, badge: 1), at: 0) } == [
                "a tablet was pushed more than once for a message: m-0000000000 of u-000000: 2"
            ])
    }

    @Test func `a push for a phone is found`() throws {
        #expect(
            try findings { $0.pushes.append(push(3, to: LoadTenant.phone)) } == [
                "a phone that is online and applies was pushed: u-000001 for m-0000000003 (seq 2)"
            ])
    }

    @Test func `a push to a stranger, of another message or refused is found`() throws {
        let stranger = ReceivedPush(
            sequence: 9, token: "ff", apnsID: "", messageID: "m", mailboxSeq: 1, badge: nil)
        #expect(
            try findings { $0.pushes.append(stranger) } == ["a push went to a token that nobody has: ff: 1"])
        #expect(try findings { $0.pushes.insert(push(8), at: 0) }.count == 1)
        #expect(try findings { $0.pushes.append(push(2, badge: 2, status: 410)) }.count == 1)
        #expect(try findings { $0.pushes.append(push(2, badge: 2, kind: "cover")) }.count == 1)
    }

    @Test func `a task without an outcome is found`() throws {
        let found = try findings { $0.counts.outcomes[["applied", ""]] = 3 }
        #expect(found.contains("tasks with an outcome: 7 instead of 8"))
        #expect(try findings { $0.counts.tasksOpen = 1 } == ["tasks still open: 1 instead of 0"])
    }

    @Test func `a suppression because another device is online is found`() throws {
        let found = try findings { $0.counts.outcomes[["suppressed", "other_device_online"]] = 2 }
        #expect(
            found.contains("suppressions because another device is online: 2 instead of 0"))
    }

    @Test func `a violation that the server counts itself is found`() throws {
        #expect(
            try findings { $0.counts.pd1Violations = 1 } == ["rouse_pd1_violations: 1 instead of 0"])
        #expect(try findings { $0.counts.pd1Violations = nil } == [])
    }

    @Test func `a last badge that is not the unread is found`() throws {
        #expect(
            try findings { $0.pushes[2] = push(2, badge: 1) } == [
                "the last push's badge is not the unread: u-000000: 1, unread are 2"
            ])
        #expect(
            try findings { $0.unread[0] = 1 }.contains("the badge call is wrong: u-000000: 1, unread are 2"))
    }

    @Test func `a phone that missed an entry, or got it twice, is found`() throws {
        #expect(
            try findings { $0.phones[0] = try phone([0]) }.contains(
                "a device did not receive a message: the phone of u-000000: m-0000000002"))
        #expect(
            try findings { $0.phones[0] = try phone([0, 2], seqs: [1, 3]) }.contains(
                "a device was sent its entries wrongly: the phone of u-000000: "
                    + "gap: entry 3 came where 2 was due"))
        #expect(
            try findings { $0.phones[0] = try phone([0, 2, 2]) }.contains(
                "a device received a message under several seqs: the phone of u-000000: "
                    + "m-0000000002 under 2"))
    }
}

@Suite struct FindingsTests {
    @Test func `findings of one kind are counted, with the first examples`() {
        var found = Findings()
        for number in 1...5 { found.add("something is missing", "m-\(number)") }
        found.add("else", "x")
        #expect(
            found.sentences == ["something is missing, 5 times: m-1; m-2; m-3; …", "else: x"])
    }

    @Test func `findings of two checkers add up`() {
        var (left, right) = (Findings(), Findings())
        left.add("a", "1")
        right.add("a", "2")
        right.add("b", "3")
        left.add(right)
        #expect(left.sentences == ["a, 2 times: 1; 2", "b: 3"])
    }
}

@Suite struct MetricsPageTests {
    private static let page = MetricsPage(
        """
        # HELP rouse_push_outcomes_total Push tasks ended
        # TYPE rouse_push_outcomes_total counter
        rouse_push_outcomes_total{outcome="notified",reason=""} 3
        rouse_push_outcomes_total{outcome="suppressed",reason="muted"} 2
        rouse_push_outcomes_total{outcome="suppressed",reason="quiet_hours"} 1
        rouse_push_tasks{state="held"} 4
        rouse_push_tasks{state="ready"} 5
        rouse_push_tasks_total 6
        """)

    @Test func `samples are summed over their labels`() {
        #expect(Self.page.sum("rouse_push_tasks") == 9)
        #expect(Self.page.sum("rouse_push_tasks", ["state": "held"]) == 4)
        #expect(Self.page.sum("rouse_push_outcomes_total", ["outcome": "suppressed"]) == 3)
        #expect(Self.page.sum("rouse_nothing") == 0)
        #expect(!Self.page.has("rouse_nothing"))
    }

    @Test func `what the server counted is read from its page`() {
        let counts = PushCounts(Self.page)
        #expect(counts.tasksMade == 6)
        #expect(counts.tasksOpen == 9)
        #expect(counts.outcome("suppressed") == 3)
        #expect(counts.outcomes[["notified", ""]] == 3)
        #expect(counts.pd1Violations == nil)
        #expect(counts.since(counts).outcomes.values.allSatisfy { $0 == 0 })
    }
}
