import Testing

@testable import RouseLoadtest

@Suite struct BadgeFoldTests {
    static func message(
        _ seq: Int64, _ conversation: String, mention: Bool = false, counts: Bool = true
    ) -> ServerFrame.Entry {
        var entry = ServerFrame.Entry(seq: seq, kind: "message", messageID: "m-\(seq)")
        entry.conversation = conversation
        entry.countsUnread = counts
        entry.isMention = mention
        return entry
    }

    static func read(_ seq: Int64, _ conversation: String, through: Int64) -> ServerFrame.Entry {
        var entry = ServerFrame.Entry(seq: seq, kind: "read")
        entry.conversation = conversation
        entry.readSeq = through
        return entry
    }

    private static func settings(_ seq: Int64, _ conversation: String, muted: Bool) -> ServerFrame.Entry {
        var entry = ServerFrame.Entry(seq: seq, kind: "settings")
        entry.conversation = conversation
        entry.isMuted = muted
        return entry
    }

    private static func recall(_ seq: Int64, _ conversation: String, of message: Int64) -> ServerFrame.Entry {
        var entry = ServerFrame.Entry(seq: seq, kind: "recall", messageID: "m-\(message)")
        entry.conversation = conversation
        return entry
    }

    private static let entries = [
        message(1, "a"), message(2, "a", mention: true), message(3, "b"), message(4, "b", counts: false),
        settings(5, "a", muted: true), read(6, "b", through: 3), recall(7, "a", of: 1),
        settings(8, "a", muted: false), read(9, "a", through: 1), message(10, "b"),
    ]

    @Test func `the badge follows each entry`() {
        let fold = BadgeFold(Self.entries, countsMuted: false)
        #expect(fold.badges.map(\.unread) == [0, 1, 2, 3, 3, 2, 1, 1, 1, 1, 2])
        #expect(fold.badges.map(\.mentions) == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(fold.badges.map(\.mutedUnread) == [0, 0, 0, 0, 0, 2, 2, 1, 0, 0, 0])
        #expect(fold.isWhole)
        #expect(
            fold.conversations["a"] == ShownConversation("a", unread: 1, mentions: 1, readSeq: 1, lastSeq: 2))
        #expect(fold.conversations["b"]?.unread == 1)
    }

    @Test func `a tenant may count what is muted`() {
        let fold = BadgeFold(Self.entries, countsMuted: true)
        #expect(fold.badges.map(\.unread) == [0, 1, 2, 3, 3, 3, 2, 1, 1, 1, 2])
    }

    @Test func `a gap and an unknown kind are seen`() {
        #expect(!BadgeFold([Self.message(2, "a")], countsMuted: false).isWhole)
        #expect(!BadgeFold([ServerFrame.Entry(seq: 1, kind: "else")], countsMuted: false).isWhole)
    }
}

@Suite struct N6CheckerTests {
    /// A user with two messages, then a read of one: a tablet that was pushed, a phone that was there.
    private static let sound: N6Checker.Evidence = {
        var user = N6Checker.User()
        user.quietAt = 10_000
        user.fold = BadgeFold(
            [
                BadgeFoldTests.message(1, "a"), BadgeFoldTests.message(2, "b"),
                BadgeFoldTests.read(3, "a", through: 1),
            ], countsMuted: false)
        user.samples = [
            sample(.badgeCall, 0, seq: 0, at: 1_000), sample(.deviceBadgeCall, 1, seq: 1, at: 2_000),
            sample(.mailboxCall, 2, seq: 2, at: 3_000), sample(.readAnswer, 1, seq: 3, at: 4_000),
        ]
        let phone = N6Checker.Device(
            name: "phone",
            shown: [sample(.welcome, 0, seq: 0, at: 500), sample(.badgeUpdate, 1, seq: 3, at: 4_100)],
            isOnline: true)
        let tablet = N6Checker.Device(
            name: "tablet",
            pushes: [
                push(1, badge: 1, at: 1_500), push(2, badge: 2, at: 2_500), repair(3, badge: 1, at: 30_000),
            ])
        user.devices = [tablet, phone]
        user.last = user.fold.last
        user.conversations = user.fold.conversations
        var evidence = N6Checker.Evidence()
        evidence.users = [user]
        return evidence
    }()

    private static func sample(
        _ source: N6Checker.Sample.Source, _ unread: Int64, seq: Int64, at: Int64
    ) -> N6Checker.Sample {
        N6Checker.Sample(source: source, badge: ShownBadge(unread: unread, projectionSeq: seq), at: at)
    }

    private static func push(
        _ revision: Int64, badge: Int64, at: Int64, kind: String = "alert", shown: Int64? = nil
    ) -> ReceivedPush {
        var push = ReceivedPush(
            sequence: 1, token: "t", apnsID: "", kind: kind, messageID: "m", mailboxSeq: min(revision, 2),
            badge: shown ?? badge, receivedAt: at)
        push.badgeRevision = revision
        push.rouseBadge = badge
        return push
    }

    private static func repair(_ revision: Int64, badge: Int64, at: Int64) -> ReceivedPush {
        push(revision, badge: badge, at: at, kind: "badge")
    }

    private func findings(_ change: (inout N6Checker.User) -> Void) -> [String] {
        var evidence = Self.sound
        change(&evidence.users[0])
        return N6Checker.findings(evidence).sentences
    }

    private func has(_ kind: String, _ change: (inout N6Checker.User) -> Void) -> Bool {
        findings(change).contains { $0.hasPrefix(kind) }
    }

    @Test func `badges that are the fold, and converge, hold`() { #expect(findings { _ in } == []) }

    @Test func `an answer that is not the fold is found`() {
        #expect(
            has("a badge is not the fold") {
                $0.samples[2] = Self.sample(.mailboxCall, 3, seq: 2, at: 3_000)
            })
        #expect(
            has("a badge names a seq beyond the head") {
                $0.samples[2] = Self.sample(.mailboxCall, 1, seq: 4, at: 3_000)
            })
        #expect(
            has("a badge is not the fold") {
                $0.devices[1].shown[1] = Self.sample(.badgeUpdate, 2, seq: 3, at: 4_100)
            })
    }

    @Test func `a push with the badge of one change before is found`() {
        #expect(
            has("a push's badge is not the fold") {
                $0.devices[0].pushes[1] = Self.push(2, badge: 1, at: 2_500)
            })
        var old = Self.push(1, badge: 1, at: 2_500)
        old = ReceivedPush(
            sequence: 1, token: "t", apnsID: "", messageID: "m", mailboxSeq: 2, badge: 1, receivedAt: 2_500)
        old.badgeRevision = 1
        old.rouseBadge = 1
        #expect(has("a push's badge is older than its message") { $0.devices[0].pushes[1] = old })
        #expect(
            has("what a device shows is not the push's badge") {
                $0.devices[0].pushes[1] = Self.push(2, badge: 2, at: 2_500, shown: 1)
            })
    }

    @Test func `a badge older than what was known is found`() {
        #expect(
            has("a badge is older than what was known") { user in
                user.devices[0].pushes[1] = Self.push(2, badge: 2, at: 7_000)
            })
        #expect(
            has("a push's revision is below the one before it") {
                $0.devices[0].pushes.insert(Self.push(2, badge: 2, at: 2_400), at: 0)
            })
    }

    @Test func `a device that keeps an old badge is found`() {
        #expect(has("a device was never given the last badge") { $0.devices[0].pushes.removeLast() })
        #expect(
            has("a device was given the last badge too late") {
                $0.devices[0].pushes[2] = Self.repair(3, badge: 1, at: 49_000)
            })
        #expect(
            has("a device was given the last badge too late") {
                $0.devices[1].shown[1] = Self.sample(.badgeUpdate, 1, seq: 3, at: 20_000)
            })
        #expect(!has("a device was never") { $0.devices[0].pushes = [] })
    }

    @Test func `a device has the badge that the answer to its own read has told it`() {
        let answer = Self.sample(.readAnswer, 1, seq: 3, at: 4_000)
        #expect(
            !has("a device was") {
                $0.devices[0].pushes.removeLast()
                $0.devices[0].answered = [answer]
            })
        #expect(
            has("a device was never given the last badge") {
                $0.devices[0].answered = [Self.sample(.readAnswer, 2, seq: 2, at: 3_000)]
                $0.devices[0].pushes.removeLast()
            })
        #expect(
            !has("a device was never") {
                $0.devices[0].pushes = []
                $0.devices[0].answered = [Self.sample(.readAnswer, 2, seq: 2, at: 3_000)]
            })
    }

    @Test func `the bound doubles with each repair of a device that stays away`() {
        var device = Self.sound.users[0].devices[0]
        device.pushes.insert(Self.repair(2, badge: 2, at: 2_600), at: 2)
        let user = Self.sound.users[0]
        #expect(N6Checker.bound(device, N6Checker.given(device), user) == 10_000 + 5_000 + 60_000)
        device.left = [2_700]
        #expect(N6Checker.bound(device, N6Checker.given(device), user) == 10_000 + 5_000 + 30_000)
    }

    @Test func `a wrong end, a gap and a kind that was never seen are found`() {
        #expect(
            has("the badge call at the end is not the fold") {
                $0.last = ShownBadge(unread: 0, projectionSeq: 3)
            })
        #expect(has("a conversation is missing") { $0.conversations["b"] = nil })
        #expect(
            has("a conversation is not the fold") {
                $0.conversations["b"] = ShownConversation("b", unread: 2)
            })
        #expect(has("no badge of one kind was seen") { $0.samples.removeLast() })
        #expect(
            has("a mailbox has a gap") {
                $0.fold = BadgeFold([BadgeFoldTests.message(2, "a")], countsMuted: false)
            })
    }

    @Test func `a refusal and an open task are found`() {
        var evidence = Self.sound
        evidence.refusals = ["recall: 500"]
        evidence.counts.tasksOpen = 1
        evidence.audit = ["2 violations"]
        #expect(N6Checker.findings(evidence).sentences.count == 3)
    }
}
