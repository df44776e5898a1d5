import Testing

@testable import RouseLoadtest

@Suite struct N7CheckerTests {
    /// Three of five to two devices, the mentions first; one more wave by conversation.
    private static let sound: N7Checker.Evidence = {
        var wave = N7Checker.Wave()
        wave.name = "together"
        wave.messages = [
            message(0, .smallGroup), message(1), message(2), message(3, .mention), message(4, .mention),
        ]
        wave.allowed = 3
        wave.isTogether = true
        wave.mustBeSent = [3, 4]
        wave.pushes = [[push(3), push(4), push(1)], [push(3), push(4), push(1)]]
        wave.explained = [ShownOutcome(state: "dropped", reason: "rate_limited")]
        var talk = N7Checker.Wave()
        talk.name = "talk"
        talk.messages = [message(10, in: "a"), message(11, in: "a"), message(12, in: "b")]
        talk.allowed = 2
        talk.allowedByConversation = ["a": 1, "b": 1]
        talk.pushes = [[push(11), push(12)]]
        var evidence = N7Checker.Evidence()
        evidence.waves = [wave, talk]
        evidence.loads = (1...4).map {
            N7Checker.Load(burst: $0, depthAfter: 0, depthMost: 500, resident: 50_000_000)
        }
        (evidence.expectedTasks, evidence.expectedNotified) = (13, 8)
        evidence.counts.tasksMade = 13
        evidence.counts.outcomes = [["notified", ""]: 8, ["dropped", "rate_limited"]: 5]
        return evidence
    }()

    private static func message(
        _ number: Int, _ weight: N7Checker.Weight = .direct, in conversation: String = "c"
    ) -> N7Checker.Message {
        N7Checker.Message(number: number, conversation: conversation, weight: weight)
    }

    private static func push(_ message: Int, kind: String = "alert") -> ReceivedPush {
        ReceivedPush(
            sequence: message, token: "t", apnsID: "", kind: kind,
            messageID: RequestTemplate.messageID(message), mailboxSeq: 1, badge: 1)
    }

    private func has(_ kind: String, _ change: (inout N7Checker.Evidence) -> Void) -> Bool {
        var evidence = Self.sound
        change(&evidence)
        return N7Checker.findings(evidence).sentences.contains { $0.hasPrefix(kind) }
    }

    @Test func `exactly what a limit allows, the most important first, holds`() {
        #expect(N7Checker.findings(Self.sound).sentences == [])
    }

    @Test func `one too many and one too few are found`() {
        let kind = "not exactly as many were sent as the limit allows"
        #expect(has(kind) { $0.waves[0].pushes[0].append(Self.push(2)) })
        #expect(has(kind) { $0.waves[0].pushes[1].removeLast() })
        #expect(has("a message was sent twice") { $0.waves[0].pushes[1][2] = Self.push(4) })
    }

    @Test func `devices that do not share their units are found`() {
        #expect(
            has("a limit favours one device over another") { $0.waves[0].pushes[1][2] = Self.push(2) })
    }

    @Test func `a conversation's own limit is looked at`() {
        #expect(
            has("not as many of a conversation were sent as its limit allows") {
                $0.waves[1].pushes[0] = [Self.push(10), Self.push(11)]
            })
    }

    @Test func `less important ones, and another order, are found`() {
        #expect(
            has("not the most important were sent") {
                for device in 0...1 { $0.waves[0].pushes[device][2] = Self.push(0) }
            })
        #expect(
            has("what is due together does not go in its order") { $0.waves[0].pushes[0].reverse() })
        #expect(
            has("a mention did not take the place of another") {
                for device in 0...1 { $0.waves[0].pushes[device][0] = Self.push(2) }
            })
    }

    @Test func `what is not counted, or still open, is found`() {
        #expect(
            has("tasks dropped over the limit") {
                $0.counts.outcomes[["dropped", "rate_limited"]] = 4
            })
        #expect(has("tasks notified") { $0.counts.outcomes[["notified", ""]] = 9 })
        #expect(has("tasks still open") { $0.counts.tasksOpen = 1 })
        #expect(
            has("what was over the limit is not explained by it") { $0.waves[0].explained = [nil] })
    }

    @Test func `a queue and memory that grow are found`() {
        #expect(has("something queues") { $0.loads[2].depthAfter = 3 })
        #expect(has("memory grows from burst to burst") { $0.loads[3].resident = 70_000_000 })
        #expect(has("nothing was looked at") { $0.loads = [] })
        #expect(has("the audit") { $0.audit = ["2 violations"] })
    }
}
