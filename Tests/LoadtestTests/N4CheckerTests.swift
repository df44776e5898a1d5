import Testing
import Wire

@testable import RouseLoadtest

@Suite struct N4CheckerTests {
    private static let collapse = ["one", "two", "three"]

    /// As a scene must come out, in the form of APNs.
    private static func sound(_ scene: N4Scene) -> N4Checker.Performance {
        var performance = N4Checker.Performance()
        performance.scene = scene
        performance.expected = scene.expectation
        let expected = performance.expected
        performance.messages = expected.conversations.indices.map { $0 }
        performance.total = expected.unread
        performance.pushes = expected.alerts.sorted().map { alert($0, in: expected.conversations[$0]) }
        if !expected.badgeByPush || !expected.isCovered {
            if expected.badgeByPush, let last = performance.pushes.indices.last {
                performance.pushes[last].rouseBadge = expected.unread
            }
            return performance
        }
        var cover = ReceivedPush(
            sequence: 9, token: "t", apnsID: "", kind: "cover",
            messageID: expected.rendered.map { RequestTemplate.messageID($0.message) } ?? "", mailboxSeq: 1,
            badge: expected.unread)
        cover.rouseBadge = expected.unread
        cover.count = expected.rendered?.count
        cover.form.pushType = "alert"
        cover.form.priority = "5"
        cover.form.expiration = expected.expiresAtOnce == false ? 1_800_000_000 : 0
        cover.form.isContentAvailable = true
        cover.form.clear = Set(expected.cleared.map { collapse[$0] })
        cover.form.members = ["badge", "content-available"]
        cover.form.collapseID = collapse[expected.cleared.max() ?? 0]
        if expected.rendered != nil {
            cover.form.hasText = true
            cover.form.interruptionLevel = "passive"
            cover.form.members.insert("alert")
        }
        performance.pushes.append(cover)
        return performance
    }

    private static func alert(_ message: Int, in conversation: Int) -> ReceivedPush {
        var push = ReceivedPush(
            sequence: message, token: "t", apnsID: "", messageID: RequestTemplate.messageID(message),
            mailboxSeq: Int64(message) + 1, badge: 1)
        push.rouseBadge = 1
        push.form.collapseID = collapse[conversation]
        return push
    }

    private func has(
        _ kind: String, _ scene: N4Scene = .accepted, _ change: (inout N4Checker.Performance) -> Void
    ) -> Bool {
        var performance = Self.sound(scene)
        change(&performance)
        return N4Checker.findings([performance]).sentences.contains { $0.hasPrefix(kind) }
    }

    @Test(arguments: N4Scene.allCases) func `each scene, as it must come out, holds`(scene: N4Scene) {
        #expect(N4Checker.findings([Self.sound(scene)]).sentences == [])
    }

    @Test(arguments: [N4Scene.held, .merging, .waiting, .halted, .inFlightRefused])
    func `a push of what was read while it waited is found`(scene: N4Scene) {
        let silent = Set(Self.sound(scene).messages).subtracting(scene.expectation.alerts)
        for message in silent {
            #expect(
                has("what was read was pushed", scene) {
                    $0.pushes.insert(Self.alert(message, in: scene == .waiting ? 1 : 0), at: 0)
                })
        }
        #expect(!silent.isEmpty)
    }

    @Test func `a missing cover, two covers and an alert behind it are found`() {
        #expect(has("what was read is not covered") { $0.pushes.removeLast() })
        #expect(has("a device was covered more than once") { $0.pushes.append($0.pushes[1]) })
        #expect(
            has("an alert came after the cover") { performance in
                var late = Self.alert(0, in: 0)
                late = ReceivedPush(
                    sequence: 12, token: "t", apnsID: "", messageID: late.messageID, mailboxSeq: 1, badge: 1)
                late.form.collapseID = "one"
                late.rouseBadge = 0
                performance.pushes.append(late)
            })
        for scene in [N4Scene.online, .reader, .held] {
            #expect(
                has("a cover came that nobody is owed", scene) {
                    $0.pushes.append(Self.sound(.accepted).pushes[1])
                })
        }
    }

    @Test func `a cover that clears too little or too much is found`() {
        #expect(has("a cover does not clear what was read", .all) { $0.pushes[3].form.clear.remove("two") })
        #expect(
            has("a cover does not clear what was read", .others) { $0.pushes[2].form.clear.insert("two") })
        #expect(
            has("a cover goes under another collapse id", .others) { $0.pushes[2].form.collapseID = "two" })
    }

    @Test func `a cover that destroys what is unread, or shows what was read, is found`() {
        let kind = "a cover does not show again what stays unread"
        #expect(has(kind, .partial) { $0.pushes[3].form.hasText = false })
        #expect(has(kind, .partial) { $0.pushes[3].count = 3 })
        #expect(has("a cover shows what was read", .accepted) { $0.pushes[1].form.hasText = true })
    }

    @Test func `a form that rings or that its provider does not honour is found`() {
        func isFound(_ scene: N4Scene, _ change: (inout ReceivedPush) -> Void) -> Bool {
            has("a cover's form is not its provider's", scene) { performance in
                let last = performance.pushes.count - 1
                change(&performance.pushes[last])
            }
        }
        #expect(isFound(.accepted) { $0.form.pushType = "background" })
        #expect(isFound(.accepted) { $0.form.priority = "10" })
        #expect(isFound(.accepted) { $0.form.members.insert("sound") })
        #expect(isFound(.accepted) { $0.form.isContentAvailable = false })
        #expect(isFound(.accepted) { $0.form.expiration = 0 })
        #expect(isFound(.others) { $0.form.expiration = 1_800_000_000 })
        #expect(isFound(.partial) { $0.form.interruptionLevel = "active" })
        #expect(
            isFound(.accepted) { push in
                push.form.provider = .fcm
                push.form.priority = "HIGH"
            })
        #expect(
            isFound(.accepted) { push in
                push.form.provider = .fcm
                push.form.priority = "NORMAL"
                push.form.isDrawn = true
            })
    }

    @Test func `a last badge that is not the unread is found`() {
        #expect(has("the last badge is not the unread") { $0.pushes[1].rouseBadge = 1 })
        #expect(has("the badge call is wrong") { $0.total = 1 })
        #expect(N4Checker.findings([]).sentences.count == 1)
    }
}

@Suite struct PushFormTests {
    private func push(_ json: String) throws -> ReceivedPush {
        ReceivedPush(try JSONDocument(parsing: Array(json.utf8)).root)
    }

    @Test func `the form of an APNs push is read`() throws {
        let push = try push(
            """
            {"sequence":3,"provider":"apns","token":"ab","apns_id":"i","headers":{"apns-push-type":"alert",
             "apns-priority":"5","apns-expiration":"0","apns-collapse-id":"cid"},"status":200,"badge":2,
             "payload":{"aps":{"badge":2,"content-available":1},"rouse":{"kind":"cover","badge":2,
             "badge_revision":7,"clear":["cid","other"]}}}
            """)
        #expect((push.kind, push.rouseBadge, push.badgeRevision) == ("cover", 2, 7))
        #expect((push.form.pushType, push.form.priority, push.form.expiration) == ("alert", "5", 0))
        #expect(push.form.collapseID == "cid")
        #expect(push.form.members == ["badge", "content-available"])
        #expect(push.form.isContentAvailable && !push.form.hasText)
        #expect(push.form.clear == ["cid", "other"])
    }

    @Test func `the form of an FCM push is read`() throws {
        let push = try push(
            """
            {"sequence":4,"provider":"fcm","token":"f","headers":{},"status":200,"badge":null,"payload":
             {"message":{"token":"f","data":{"rouse_kind":"cover","rouse_tag":"cid","rouse_badge":"0",
             "rouse_badge_revision":"9","rouse_clear":"[\\"cid\\",\\"other\\"]"},"android":{"priority":"NORMAL"}}}}
            """)
        #expect((push.kind, push.rouseBadge, push.badgeRevision) == ("cover", 0, 9))
        #expect((push.form.priority, push.form.collapseID) == ("NORMAL", "cid"))
        #expect(!push.form.isDrawn && !push.form.hasText)
        #expect(push.form.clear == ["cid", "other"])
    }
}
