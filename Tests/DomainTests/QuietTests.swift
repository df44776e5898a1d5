import Testing

@testable import Domain

@Suite struct QuietTests {
    private func zone(_ name: String, hours: Int32) -> ZoneRules {
        ZoneRules(name: name, firstOffset: hours * 3_600)
    }

    /// Quiet from 22:00 to 07:00, at an hour of the day in UTC.
    private func stage(at hour: Int64, zone: ZoneRules? = nil) -> Stage {
        var stage = Stage()
        stage.now += (hour * 3_600_000 - stage.moment.wall.milliseconds).remainderDown(by: 86_400_000)
        stage.register(.phone)
        let settings = UserSettings(quietHours: QuietHours(start: 1_320, end: 420), timeZone: zone?.name)
        _ = stage.user.configure(settings, zone: zone)
        return stage
    }

    private func step(_ actions: [UserAction]) -> TraceStep.Event? {
        for case .recordOutcome(_, _, .suppressed, .quietHours, let trace) in actions {
            return trace.map(\.event).first { if case .quietHours = $0 { true } else { false } }
        }
        return nil
    }

    @Test func `inside the window only mentions push, and the record has the numbers`() throws {
        var stage = stage(at: 23)
        let window = try #require(QuietHours(start: 1_320, end: 420))
        let actions = stage.message()
        #expect(actions.reasons == [.quietHours])
        #expect(step(actions) == .quietHours(window, minute: 1_380, zone: "UTC", .tenant))
        #expect(stage.user.badge.totalUnread == 1)
        #expect(stage.message(mention: .user).tasksMade == 1)
        #expect(stage.message(mention: .all).tasksMade == 1)
    }

    @Test(arguments: [(21, 1), (22, 0), (6, 0), (7, 1)])
    func `outside of it everything does`(hour: Int64, tasks: Int) {
        var stage = stage(at: hour)
        #expect(stage.message().tasksMade == tasks)
    }

    @Test func `the user's zone counts, else the device's own, else the tenant's`() {
        var stage = stage(at: 12, zone: zone("Ten/East", hours: 10))
        stage.register(.tablet, zone: zone("Nine/East", hours: 9))
        #expect(stage.message().reasons == [.quietHours, .quietHours])
        _ = stage.user.configure(
            UserSettings(quietHours: QuietHours(start: 1_320, end: 420)), zone: nil)
        // 21:00 on the tablet, 12:00 by the tenant.
        #expect(stage.message().tasksMade == 2)
        stage.now += 3_600_000
        #expect(stage.message().reasons == [.quietHours])
        stage.user.tenantZone = zone("Ten/East", hours: 10)
        #expect(stage.message().reasons == [.quietHours, .quietHours])
    }

    @Test func `a mute is the reason before quiet hours are`() {
        var stage = stage(at: 23)
        _ = stage.user.configure(ConversationID("c-1"), isMuted: true, until: nil, at: stage.moment)
        #expect(stage.message().reasons == [.muted])
    }

    @Test func `a task of before is judged again when its push is built`() {
        var stage = stage(at: 21)
        stage.message()
        stage.message(mention: .user)
        stage.now += 3_600_000
        let built = stage.build(.phone)
        #expect(built.draft?.alert?.mention == .user)
        stage.answer(.phone, built.request, .accepted)
        #expect(stage.build(.phone).actions.reasons == [.quietHours])
    }

    @Test func `settings that stand so already are not saved again`() {
        var stage = stage(at: 12)
        let settings = stage.user.settings
        #expect(stage.user.configure(settings, zone: nil).isEmpty)
        #expect(stage.user.configure(UserSettings(), zone: nil) == [.saveSettings])
        stage.now += 12 * 3_600_000
        #expect(stage.message().tasksMade == 1)
    }

    @Test func `a change keeps what it does not name, and clears what it names as nothing`() {
        let settings = UserSettings(
            quietHours: QuietHours(start: 1, end: 2), timeZone: "Europe/Berlin", locale: "de")
        var change = UserSettings.Change()
        change.quietHours = .some(nil)
        change.locale = "fr"
        #expect(
            settings.changed(by: change) == UserSettings(timeZone: "Europe/Berlin", locale: "fr"))
    }

    @Test func `a device without a locale is written to in its user's`() {
        var stage = stage(at: 12)
        _ = stage.user.configure(UserSettings(locale: "zh-Hans"), zone: nil)
        stage.message()
        #expect(stage.build(.phone).draft?.locale == "zh-Hans")
    }

    @Test func `without its rule, quiet hours are none`() {
        var stage = stage(at: 23)
        var policy = stage.user.policy
        policy.disabledRules = .quietHours
        _ = stage.user.policyChanged(SharedPolicy(policy), zone: .utc, at: stage.moment)
        #expect(stage.message().tasksMade == 1)
    }

    @Test func `without its rule, a mute makes tasks all the same`() {
        var stage = Stage { $0.disabledRules = .mutesSuppress }
        stage.register(.phone)
        _ = stage.user.configure(ConversationID("c-1"), isMuted: true, until: nil, at: stage.moment)
        #expect(stage.message().tasksMade == 1)
        #expect(stage.build(.phone).draft != nil)
    }

    @Test func `a policy that changes the number shows it, any other shows nothing`() {
        var stage = Stage()
        _ = stage.user.configure(ConversationID("c-1"), isMuted: true, until: nil, at: stage.moment)
        stage.message()
        var policy = stage.user.policy
        policy.pushRatePerUserPerMinute = 1
        #expect(stage.user.policyChanged(SharedPolicy(policy), zone: .utc, at: stage.moment).isEmpty)
        policy.badgeCountsMuted = true
        #expect(
            stage.user.policyChanged(SharedPolicy(policy), zone: .utc, at: stage.moment).contains(.showBadge))
        #expect(stage.user.badge.totalUnread == 1)
    }
}
