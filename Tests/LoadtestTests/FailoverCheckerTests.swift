import Testing

@testable import RouseLoadtest

@Suite struct TakeoverCheckerTests {
    private func found(ready: Int64, _ change: (inout TakeoverEvidence) -> Void = { _ in }) -> [String] {
        var seen = TakeoverEvidence(struckAt: 100_000, expiredAt: 104_600, readyAt: ready)
        change(&seen)
        return TakeoverChecker.violations(of: seen)
    }

    @Test func `a standby that is ready soon after the lease is as promised`() {
        #expect(found(ready: 105_000) == [])
        #expect(found(ready: 109_600) == [])
    }

    @Test func `a standby that is ready late is found`() {
        #expect(found(ready: 109_700) == ["the standby was ready 5100 ms after the lease had run out"])
    }

    @Test func `a standby that is ready while the owner lives is found`() {
        #expect(found(ready: 99_000) == ["the standby was ready before the owner was struck"])
    }

    @Test func `what is still owed to devices is found`() {
        let found = found(ready: 105_000) { seen in (seen.owed, seen.unpaid) = (70, 3) }
        #expect(found == ["3 of 70 held messages were not pushed after the take-over"])
    }
}

@Suite struct FreezeCheckerTests {
    private var sound: FreezeEvidence {
        var seen = FreezeEvidence()
        seen.connected = [1, 2]
        seen.notes = [note(1, .ended(code: 1_001)), note(2, .ended(code: 1_006)), note(1, .welcome)]
        seen.patient = 1
        (seen.slowBefore, seen.slowAfter) = ([400_000, 300_000], [400_000, 300_040])
        seen.rowsBefore = .init(messages: 10, entries: 10, devices: 4)
        seen.rowsAfter = seen.rowsBefore
        seen.postStatus = 503
        seen.isStandby = true
        return seen
    }

    private func note(_ device: Int, _ kind: PhoneNote.Kind) -> PhoneNote {
        PhoneNote(device: device, time: 0, kind: kind)
    }

    private func found(_ change: (inout FreezeEvidence) -> Void) -> [String] {
        var seen = sound
        change(&seen)
        return FreezeChecker.violations(of: seen)
    }

    @Test func `an owner that wakes up and lets go of everything is as promised`() {
        #expect(FreezeChecker.violations(of: sound) == [])
    }

    @Test func `what devices get elsewhere afterwards is no violation`() {
        #expect(found { $0.notes += [note(1, .frame), note(7, .frame), note(7, .welcome)] } == [])
    }

    @Test func `a frame before the end is found`() {
        #expect(
            found { $0.notes.insert(note(2, .frame), at: 0) }
                == ["the paused owner: its devices got 1 frames"])
    }

    @Test func `a device that is kept is found`() {
        #expect(
            found { $0.notes = [note(1, .ended(code: 1_001))] }
                == ["the paused owner: 1 devices were not let go of"])
    }

    @Test func `a commit is found`() {
        #expect(found { $0.rowsAfter = .init(messages: 11, entries: 10, devices: 4) }.count == 1)
    }

    @Test func `whatever leaves it is found`() {
        #expect(found { $0.pushes = 1 } == ["the paused owner: its provider got 1 requests"])
        #expect(found { $0.hasAcknowledged = true } == ["the paused owner: it acknowledged messages"])
        #expect(found { $0.lateWelcomes = 2 } == ["the paused owner: it welcomed 2 devices that came late"])
        #expect(
            found { $0.patientFrames = ["AUTH_OK"] }
                == ["the paused owner: a device that said who it is got AUTH_OK"])
        #expect(
            found { $0.slowAfter[1] = 310_000 }
                == ["the paused owner: a device that had read nothing got 10000 bytes"])
        #expect(
            found { $0.postStatus = 202 } == ["the paused owner: a new request was answered 202, not 503"])
    }

    @Test func `an owner that ends or does not know its place is found`() {
        #expect(found { $0.isStandby = false } == ["the paused owner: it does not say that it is a standby"])
        #expect(
            found { ($0.hasEnded, $0.isStandby) = (true, false) } == ["the paused owner: its process ended"])
        #expect(
            found { $0.leaseIsSuccessors = false }
                == ["the paused owner: the lease is not its successor's any more"])
    }

    @Test func `a round that could show nothing is found`() {
        #expect(found { ($0.connected, $0.notes) = ([], []) }.count == 1)
        #expect(found { $0.patient = 0 }.count == 1)
        #expect(found { ($0.slowBefore, $0.slowAfter) = ([], []) }.count == 1)
        #expect(found { ($0.slowBefore, $0.slowAfter) = ([12_000_000], [12_000_000]) }.count == 1)
    }
}

@Suite struct DrainCheckerTests {
    private var sound: DrainEvidence {
        var seen = DrainEvidence(signalledAt: 100_000)
        seen.connected = [1, 2]
        seen.codes = [1: 1_001, 2: 1_001]
        seen.exitCode = 0
        seen.held = [held(90_000, written: 90_050, 108_100), held(99_900, written: nil, 103_000)]
        return seen
    }

    private func held(_ acknowledgedAt: Int64, written: Int64?, _ pushedAt: Int64?) -> DrainEvidence.Held {
        DrainEvidence.Held(
            message: "m", acknowledgedAt: acknowledgedAt, writtenAt: written, pushedAt: pushedAt)
    }

    private func found(_ change: (inout DrainEvidence) -> Void) -> [String] {
        var seen = sound
        change(&seen)
        return DrainChecker.violations(of: seen)
    }

    @Test func `a planned end that keeps its promises is as promised`() {
        #expect(DrainChecker.violations(of: sound) == [])
        #expect(sound.waits == 18_050...18_050)
    }

    @Test func `holds that fall due early, late or never are found`() {
        #expect(
            found { $0.held[0].pushedAt = 101_500 }
                == ["the planned end: 1 of 2 holds fell due before their deadline"])
        #expect(found { $0.held[0].pushedAt = 110_000 } == ["the planned end: 1 of 2 holds fell due late"])
        #expect(
            found { $0.held[1].pushedAt = 100_200 }
                == ["the planned end: 1 of 2 holds fell due before their deadline"])
        #expect(found { $0.held[1].pushedAt = 118_500 } == [])
        #expect(
            found { $0.held[0].pushedAt = nil } == ["the planned end: 1 of 2 held messages were never pushed"]
        )
    }

    @Test func `a device that hears another code, or nothing, is found`() {
        #expect(
            found { $0.codes[1] = 1_006 }
                == ["the planned end: 1 devices were not told 1001: device 1 was told 1006"])
        #expect(
            found { $0.codes[2] = nil }
                == ["the planned end: 1 devices were not told 1001: device 2 was told nothing"])
    }

    @Test func `a repeat and a bad exit are found`() {
        #expect(found { $0.repeatsAfter = 2 } == ["the planned end: 2 requests were repeated"])
        #expect(found { $0.exitCode = 1 } == ["the planned end: the process ended with 1"])
        #expect(found { $0.exitCode = nil } == ["the planned end: the process did not end"])
    }

    @Test func `a round that could show nothing is found`() {
        #expect(found { $0.held = [] } == ["the planned end: nothing was held: nothing is shown"])
        #expect(found { ($0.connected, $0.codes) = ([], [:]) }.count == 1)
    }
}

@Suite struct PhoneCheckerTests {
    private func phone(_ manner: PhoneEvidence.Manner) -> PhoneEvidence {
        var phone = PhoneEvidence(user: "u-1", manner: manner)
        phone.entries = ["m-1": 1, "m-2": 2]
        (phone.lastSeq, phone.head) = (2, 2)
        switch manner {
        case .silent: phone.pushes = [push("m-1", "id-1"), push("m-2", "id-2"), push("m-2", "id-2")]
        default: phone.appliedSeq = 2
        }
        return phone
    }

    private func push(_ message: String, _ id: String) -> ReceivedPush {
        ReceivedPush(
            sequence: 0, token: "t", apnsID: id, messageID: message, mailboxSeq: 1, badge: 1)
    }

    private func found(_ manner: PhoneEvidence.Manner, _ change: (inout PhoneEvidence) -> Void) -> [String] {
        var phone = phone(manner)
        change(&phone)
        return PhoneChecker.violations(of: phone)
    }

    @Test(arguments: PhoneEvidence.Manner.allCases)
    func `a phone that is told everything is as promised`(manner: PhoneEvidence.Manner) {
        #expect(PhoneChecker.violations(of: phone(manner)) == [])
    }

    @Test func `a push also to a phone that applied later is no violation`() {
        #expect(found(.late) { $0.pushes = [push("m-1", "id-1")] } == [])
    }

    @Test func `a message that is neither applied nor pushed is found`() {
        #expect(
            found(.late) { $0.appliedSeq = 1 }
                == ["u-1's phone: 1 messages neither applied nor pushed, first m-2"])
        #expect(
            found(.silent) { $0.pushes.removeFirst() }
                == ["u-1's phone: 1 messages neither applied nor pushed, first m-1"])
    }

    @Test func `a second name for a message, or for two messages one, is found`() {
        #expect(
            found(.silent) { $0.pushes[2] = push("m-2", "id-3") }
                == ["u-1's phone: m-2 went out under 2 apns-ids"])
        #expect(
            found(.silent) { $0.pushes = [push("m-1", "id-1"), push("m-2", "id-1")] }
                == ["u-1's phone: 2 messages share the apns-id id-1"])
    }

    @Test func `what the phone saw of disorder, and what it lacks, is found`() {
        #expect(found(.applying) { $0.disorder = ["gap"] } == ["u-1's phone: gap"])
        #expect(found(.applying) { $0.head = 3 } == ["u-1's phone: it has received up to 2 of 3"])
    }

    @Test func `a push of what is not in the mailbox is found`() {
        #expect(
            found(.applying) { $0.pushes = [push("m-9", "id-9")] }
                == ["u-1's phone: m-9 was pushed and is not in the mailbox"])
    }

    @Test func `the rarer blows are spread among the kills`() {
        let plan = FailoverBlow.plan(kills: 4, freezes: 2, naps: 2, drains: 1)
        #expect(plan.count == 9)
        #expect(plan.count { $0 == .kill } == 4)
        #expect(plan.first == .kill && plan.last == .kill)
        #expect(FailoverBlow.plan(kills: 0, freezes: 0, naps: 0, drains: 1) == [.drain])
    }
}

@Suite struct BatchAnswerTests {
    private func statuses(_ text: String) -> [Int] {
        BatchAnswer.statuses(of: Array(text.utf8)[...], first: 7, count: 2)
    }

    @Test func `each line tells of the message in its place`() {
        let lines = """
            {"message_id":"m-0000000007","status":202}
            {"message_id":"m-0000000008","status":503,"code":"unavailable"}

            """
        #expect(statuses(lines) == [202, 503])
    }

    @Test func `a line in another's place, or none, tells nothing`() {
        #expect(statuses(#"{"message_id":"m-0000000008","status":202}"#) == [0, 0])
        #expect(statuses("") == [0, 0])
    }
}
