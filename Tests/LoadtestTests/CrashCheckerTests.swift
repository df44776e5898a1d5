import Testing

@testable import RouseLoadtest

@Suite struct CrashCheckerTests {
    /// Two messages, each in the mailbox once and pushed, the second twice under one apns-id.
    private var sound: UserEvidence {
        var user = UserEvidence(user: "u-1")
        user.sent = ["m-1", "m-2"]
        user.acknowledged = ["m-1", "m-2"]
        user.entries = [entry(1, "m-1"), entry(2, "m-2")]
        user.head = 2
        user.mailboxUnread = 2
        user.badgeUnread = 2
        user.pushes = [push("m-1", 1, "id-1"), push("m-2", 2, "id-2"), push("m-2", 2, "id-2")]
        return user
    }

    private func entry(_ seq: Int64, _ id: String?) -> UserEvidence.Entry {
        UserEvidence.Entry(seq: seq, messageID: id, countsUnread: id != nil)
    }

    private func push(_ message: String, _ seq: Int64, _ id: String, status: Int = 200) -> ReceivedPush {
        ReceivedPush(
            sequence: 0, token: "t", apnsID: id, messageID: message, mailboxSeq: seq, badge: seq,
            status: status)
    }

    private func findings(_ change: (inout UserEvidence) -> Void) -> [String] {
        var user = sound
        change(&user)
        return CrashChecker.violations(of: user)
    }

    @Test func `a request repeated under its apns-id is no violation`() {
        #expect(CrashChecker.violations(of: sound) == [])
    }

    @Test func `a message in the mailbox without an acknowledgement is no violation`() {
        #expect(findings { $0.acknowledged = ["m-1"] } == [])
    }

    @Test func `an acknowledged message that is lost is found`() {
        let found = findings {
            $0.sent.insert("m-3")
            $0.acknowledged.insert("m-3")
        }
        #expect(found == ["u-1: m-3 was acknowledged and is not in the mailbox"])
    }

    @Test func `a message that is twice in the mailbox is found`() {
        let found = findings {
            $0.entries.append(entry(3, "m-2"))
            $0.head = 3
            $0.mailboxUnread = 3
            $0.badgeUnread = 3
        }
        #expect(found == ["u-1: m-2 is 2 times in the mailbox"])
    }

    @Test func `an entry that nobody sent is found`() {
        #expect(findings { $0.sent = ["m-1"] } == ["u-1: m-2 is in the mailbox and was never sent"])
    }

    @Test func `a gap in the seqs is found once`() {
        let found = findings {
            $0.entries = [entry(1, "m-1"), entry(3, "m-2")]
            $0.pushes = [push("m-1", 1, "id-1"), push("m-2", 3, "id-2")]
        }
        #expect(found == ["u-1: entry 2 has the seq 3"])
    }

    @Test func `a head above the last entry is found`() {
        #expect(findings { $0.head = 3 } == ["u-1: the head is 3, the entries are 2"])
    }

    @Test(arguments: [1, 3]) func `a badge that is not the unread is found`(badge: Int64) {
        #expect(findings { $0.badgeUnread = badge } == ["u-1: the badge call says \(badge), unread are 2"])
        #expect(
            findings { $0.mailboxUnread = badge } == [
                "u-1: the mailbox's badge says \(badge), unread are 2"
            ])
    }

    @Test func `a push that never came is found, and a refused one is none`() {
        let expected = ["u-1: m-1 (seq 1) never reached the provider"]
        #expect(findings { $0.pushes.removeFirst() } == expected)
        #expect(findings { $0.pushes[0] = push("m-1", 1, "id-1", status: 500) } == expected)
    }

    @Test func `one message under two apns-ids is found`() {
        let found = findings { $0.pushes.append(push("m-2", 2, "id-3")) }
        #expect(found == ["u-1: m-2 went out under 2 apns-ids in 3 requests"])
    }

    @Test func `a push without an apns-id is found`() {
        let found = findings { $0.pushes[0] = push("m-1", 1, "") }
        #expect(found == ["u-1: m-1 went out under 1 apns-ids in 1 requests"])
    }

    @Test func `two messages under one apns-id are found`() {
        let found = findings { $0.pushes = [push("m-1", 1, "id-1"), push("m-2", 2, "id-1")] }
        #expect(found == ["u-1: 2 messages share the apns-id id-1"])
    }

    @Test func `a push of what is not in the mailbox is found`() {
        let found = findings { $0.pushes.append(push("m-9", 3, "id-9")) }
        #expect(found == ["u-1: m-9 was pushed and is not in the mailbox"])
    }

    @Test func `a push that names another seq is found`() {
        let found = findings { $0.pushes[0] = push("m-1", 2, "id-1") }
        #expect(found == ["u-1: m-1 was pushed as seq 2, its entry has 1"])
    }
}
