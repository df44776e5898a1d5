import Testing
import Wire

@testable import RouseLoadtest

@Suite struct StormCheckerTests {
    /// One user, two devices, three messages. The tablet (0) was away from 100 to 200 while message 1 came.
    private func sound() throws -> StormChecker.Evidence {
        var evidence = StormChecker.Evidence()
        evidence.users = 1
        evidence.messages = 3
        var tablet = DeviceObservation()
        tablet.welcomed(try welcome(head: 0), isFromHead: false, at: 1)
        receive(0, at: 50, &tablet)
        tablet.ended(1_006, at: 1_000, keepsAbsence: true)
        tablet.welcomed(try welcome(head: 2), isFromHead: false, at: 2_000)
        receive(1, sentAt: 1_500, at: 2_001, &tablet)
        receive(2, at: 2_500, &tablet)
        var phone = DeviceObservation()
        phone.welcomed(try welcome(head: 0), isFromHead: false, at: 1)
        for message in 0..<3 { receive(message, at: 50 + 1_000 * message, &phone) }
        evidence.devices = [tablet, phone]
        evidence.pushes = [StormChecker.Push(device: 0, message: 1, at: 1_600)]
        evidence.acknowledgedAt = [50, 1_510, 2_500]
        evidence.counts.tasksMade = 6
        evidence.counts.outcomes = [["applied", ""]: 5, ["notified", ""]: 1]
        return evidence
    }

    private func welcome(head: Int64) throws -> WelcomeFrame {
        let json = """
            {"connection":"c","mailbox_id":"\(UUIDBytes(high: 1, low: 0).text)","mailbox_seq":\(head),
             "first_mailbox_seq":1,"truncated":false}
            """
        return try #require(WelcomeFrame(JSONDocument(parsing: Array(json.utf8)).root))
    }

    private func receive(
        _ message: Int, sentAt: Int? = nil, at time: Int, _ device: inout DeviceObservation
    ) {
        let seq = Int64(message) + 1
        device.received(
            seq,
            keeping: SeenEntry(
                message: Int32(message), sentAt: UInt32(sentAt ?? time - 5), receivedAt: UInt32(time)))
        device.applied(seq, at: UInt32(time + 1))
    }

    private func findings(_ change: (inout StormChecker.Evidence) throws -> Void) throws -> [String] {
        var evidence = try sound()
        try change(&evidence)
        return StormChecker.findings(evidence).sentences
    }

    @Test func `a push for what came while the device was away holds`() throws {
        #expect(try findings { _ in } == [])
        #expect(StormChecker.verdicts(try sound()) == [.away])
    }

    @Test func `a push for what was applied in time is found`() throws {
        #expect(
            try findings { $0.pushes.append(.init(device: 1, message: 1, at: 1_100)) } == [
                "a push told of an entry that was applied in time: m-0000000001 to the phone of u-000000"
            ])
        #expect(
            try findings { $0.pushes.append(.init(device: 0, message: 2, at: 2_600)) } == [
                "a push told of an entry that was applied in time: m-0000000002 to the tablet of u-000000"
            ])
    }

    @Test func `a push long after APPLIED is found`() throws {
        #expect(
            try findings { $0.pushes[0] = .init(device: 0, message: 1, at: 9_000) } == [
                "a push went out long after its entry was applied: m-0000000001 to the tablet of u-000000"
            ])
    }

    @Test func `a push that comes twice, or of nothing, is found`() throws {
        let twice = try findings { $0.pushes.append($0.pushes[0]) }
        #expect(
            twice == [
                "a device was pushed more than once for a message: m-0000000001 to the tablet of u-000000"
            ])
        #expect(try findings { $0.pushes.append(.init(device: 0, message: 8, at: 1)) }.count == 1)
    }

    @Test func `an entry that was written after the grace window may be pushed`() throws {
        var evidence = try sound()
        receive(3, sentAt: 3_000, at: 6_500, &evidence.devices[1])
        evidence.pushes = [.init(device: 1, message: 3, at: 6_100)]
        #expect(StormChecker.verdicts(evidence) == [.late])
    }

    @Test func `an entry that a device lost is found`() throws {
        let found = try findings {
            var phone = DeviceObservation()
            phone.welcomed(try welcome(head: 0), isFromHead: false, at: 1)
            for message in [0, 1] { receive(message, at: 50, &phone) }
            $0.devices[1] = phone
        }
        #expect(
            found == [
                "a device did not receive its whole mailbox: the phone of u-000000: up to 2, the head is 3",
                "a device did not receive a message: the phone of u-000000: m-0000000002",
            ])
    }

    @Test func `an entry that its device missed for long, and that was not pushed, is found`() throws {
        var evidence = try sound()
        evidence.missedMilliseconds = 400
        #expect(StormChecker.missed(evidence) == [[0, 1]])
        #expect(StormChecker.findings(evidence).isEmpty)
        evidence.acknowledgedAt[1] = 1_900
        #expect(StormChecker.missed(evidence) == [])
        evidence.acknowledgedAt[1] = 1_510
        evidence.pushes = []
        #expect(
            StormChecker.findings(evidence).sentences == [
                "an entry came while its device was away, and was not pushed: "
                    + "m-0000000001 to the tablet of u-000000"
            ])
    }

    @Test func `tasks without an outcome are found`() throws {
        #expect(try findings { $0.counts.tasksMade = 7 }.count == 1)
        #expect(try findings { $0.counts.pd1Violations = 2 } == ["rouse_pd1_violations: 2 instead of 0"])
    }
}

@Suite struct StormPhaseTests {
    private func phase(_ name: String, _ milliseconds: UInt64, resident: Int = 1 << 20) -> StormPhase {
        var phase = StormPhase(name: name)
        for _ in 0..<10 { phase.entries.add(nanoseconds: milliseconds * 1_000_000) }
        phase.note(resident)
        return phase
    }

    @Test func `a calm like the first one holds`() {
        let phases = [phase("before", 5), phase("storm", 900), phase("after", 20)]
        #expect(StormPhase.violations(phases) == [])
    }

    @Test func `a latency that stays high is found, and memory that grows`() {
        let slow = [phase("before", 5), phase("storm", 9), phase("after", 300)]
        #expect(StormPhase.violations(slow).count == 2)
        let fat = [
            phase("before", 5), phase("storm 1", 9), phase("after 1", 5, resident: 50 << 20),
            phase("storm 2", 9), phase("after 2", 5, resident: 80 << 20),
        ]
        #expect(StormPhase.violations(fat).count == 1)
    }

    @Test func `a run without a storm or without entries proves nothing`() {
        #expect(StormPhase.violations([phase("before", 5)]).count == 1)
        #expect(
            StormPhase.violations([StormPhase(name: "a"), phase("b", 1), StormPhase(name: "c")]).count == 1)
    }

    @Test func `the memory of a process is read from its rollup`() {
        let text = """
            561d1edc4000-7ffc865d8000 ---p 00000000 00:00 0                          [rollup]
            Rss:                1708 kB
            Pss:                 226 kB
            Pss_Anon:            112 kB
            Anonymous:           112 kB
            """
        let memory = ProcessMemory(text)
        #expect(memory?.resident == 1_708 * 1_024)
        #expect(memory?.proportional == 226 * 1_024)
        #expect(memory?.anonymous == 112 * 1_024)
        #expect(ProcessMemory("Rss: 5 kB") == nil)
    }
}
