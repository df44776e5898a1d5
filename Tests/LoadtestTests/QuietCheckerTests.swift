import Testing

@testable import RouseLoadtest

@Suite struct QuietCheckerTests {
    /// A user whose tablet is inside the window and whose phone is not: a plain message, a mention, and a
    /// plain one when the hours are cleared.
    private static let sound: QuietChecker.Evidence = {
        var user = QuietChecker.User()
        user.devices = ["tablet", "phone"]
        user.steps = [
            step(0, quiet: ["tablet"], tasks: 1, badge: (1, 0)),
            step(1, mentions: true, quiet: ["tablet"], tasks: 2, badge: (2, 1)),
            step(2, tasks: 2, badge: (3, 1)),
        ]
        user.pushes = [
            "tablet": [push(1, badge: 2), push(2, badge: 3)],
            "phone": [push(0, badge: 1), push(1, badge: 2), push(2, badge: 3)],
        ]
        var evidence = QuietChecker.Evidence()
        evidence.users = [user]
        evidence.counts.tasksMade = 5
        evidence.counts.outcomes = [["suppressed", "quiet_hours"]: 1, ["notified", ""]: 5]
        evidence.explained = [
            ShownOutcome(state: "suppressed", reason: "quiet_hours", steps: ["materialised", "quiet_hours"])
        ]
        evidence.waiting = [
            N3Checker.Waiting(
                user: 1, plain: 8, mention: 9, pushes: [push(9, badge: 2)],
                plainOutcome: ShownOutcome(state: "suppressed", reason: "quiet_hours"),
                mentionOutcome: ShownOutcome(state: "notified", reason: ""))
        ]
        return evidence
    }()

    private static func step(
        _ message: Int, mentions: Bool = false, quiet: Set<String> = [], tasks: Int, badge: (Int64, Int64)
    ) -> QuietChecker.Step {
        QuietChecker.Step(
            message: message, mentions: mentions, quiet: quiet, tasks: tasks,
            badge: ShownBadge(unread: badge.0, mentions: badge.1, projectionSeq: 0))
    }

    private static func push(_ message: Int, badge: Int64, kind: String = "alert") -> ReceivedPush {
        ReceivedPush(
            sequence: message, token: "t", apnsID: "", kind: kind,
            messageID: RequestTemplate.messageID(message), mailboxSeq: 1, badge: badge)
    }

    private func findings(_ change: (inout QuietChecker.Evidence) -> Void) -> [String] {
        var evidence = Self.sound
        change(&evidence)
        return QuietChecker.findings(evidence).sentences
    }

    @Test func `silence inside the window, and a push for each mention, holds`() {
        #expect(findings { _ in } == [])
    }

    @Test func `a task or a push for a plain message inside the window is found`() {
        #expect(
            findings { $0.users[0].steps[0].tasks = 2 } == [
                "a message in quiet hours made a task: m-0000000000 of u-000000: 2 instead of 1"
            ])
        #expect(
            findings { $0.users[0].pushes["tablet"]?.append(Self.push(0, badge: 1)) } == [
                "a push came in quiet hours: m-0000000000 to the tablet of u-000000 (alert)"
            ])
        #expect(findings { $0.counts.tasksMade = 6 } == ["tasks made: 6 instead of 5"])
        #expect(findings { $0.counts.outcomes[["suppressed", "quiet_hours"]] = nil }.count == 1)
    }

    @Test func `what is silent outside the window, or though it mentions, is found`() {
        #expect(findings { $0.users[0].steps[1].tasks = 1 }.count == 1)
        #expect(
            findings { $0.users[0].pushes["phone"]?.removeFirst() } == [
                "a message was not pushed once: m-0000000000 to the phone of u-000000: 0"
            ])
        #expect(findings { $0.users[0].pushes["tablet"] = nil }.count == 1)
    }

    @Test func `a badge that does not count what was silent is found`() {
        #expect(
            findings { $0.users[0].steps[0].badge = ShownBadge(unread: 0, projectionSeq: 0) }.count == 1)
        #expect(
            findings { $0.users[0].pushes["tablet"]?[0] = Self.push(1, badge: 1) } == [
                "a push's badge is not the unread: m-0000000001 to the tablet of u-000000: 1 of 2"
            ])
    }

    @Test func `an explanation without the clock, and a push of what waited, are found`() {
        #expect(
            findings { $0.explained = [ShownOutcome(state: "suppressed", reason: "quiet_hours")] }.count == 1)
        let found = findings { $0.waiting[0].pushes.insert(Self.push(8, badge: 1), at: 0) }
        #expect(found.first?.hasPrefix("what waited when quiet hours began is not judged again") == true)
        #expect(findings { $0.waiting[0].plainOutcome = nil }.count == 1)
    }

    @Test(arguments: [Int64(0), 43_200_000, 86_399_000])
    func `another zone than the one that counts would say the opposite`(now: Int64) {
        for number in 0..<12 {
            let person = QuietPerson(number, [.apns, .fcm])
            let (start, end) = person.hours(at: now)
            func isInside(_ zone: String?) -> Bool {
                let offset = zone == "Asia/Tokyo" ? 540 : zone == "America/Phoenix" ? -420 : 0
                let minute = (Int(now / 60_000) + offset + 1_440) % 1_440
                return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
            }
            for device in person.devices {
                let counts = person.ownZone ?? device.timeZone
                #expect(isInside(counts) == person.quietDevices.contains(device.name), "\(number)")
            }
            #expect(
                isInside("Asia/Tokyo") != isInside("America/Phoenix") || person.devices[0].timeZone == nil)
        }
    }
}
