import Testing

@testable import Domain

/// What the limits remember when a process ends and another begins, under whatever clock.
@Suite struct LimitRestartTests {
    private func stage() -> Stage {
        var stage = Stage {
            $0.pushRatePerUserPerMinute = 1
            $0.wakeBudgetPerHour = 1
        }
        stage.register(.phone)
        stage.register(.tablet)
        return stage
    }

    /// Ends the process, and lets another read the user back `milliseconds` later. `jump`: how far the wall
    /// clock is set on meanwhile; `boots`: whether the boot-time clock begins anew.
    private func restart(
        _ stage: inout Stage, after milliseconds: Int64 = 0, jump: Int64 = 0, boots: Bool = false
    ) throws -> [UserAction] {
        var old = stage.user
        let bytes = old.pushRecord(at: stage.moment).encoded()
        stage.now += milliseconds
        stage.bootedAt += jump
        if boots {
            stage.bootedAt += stage.now
            stage.now = 0
        }
        stage.user = User(
            key: old.key, id: old.id, mailboxID: old.mailboxID, head: old.head,
            conversations: old.conversations,
            devices: old.devices.map {
                Device(key: $0.key, id: $0.id, profile: $0.profile, tokens: $0.tokens)
            }, policy: old.sharedPolicy)
        let record = try #require(PushRecord(decoding: bytes, messages: [:]))
        stage.user.adopt(record, isOwed: false, at: stage.moment)
        return stage.user.recovered(openTasks(of: old), at: stage.moment)
    }

    private func openTasks(of user: User) -> [User.RecoveredTask] {
        let open = user.devices.flatMap { device in
            (device.holds.map(\.task) + device.groups.flatMap(\.tasks)).map { (device.key, $0) }
        }
        return open.sorted { $0.1.seq < $1.1.seq }.map { device, task in
            User.RecoveredTask(
                device: device,
                task: PushTask(
                    key: task.key, message: task.message, mention: task.mention, seq: task.seq,
                    materialisedAt: task.materialisedAt, largeGroupMembers: 100, trace: []),
                attempts: 0, state: .due)
        }
    }

    @discardableResult
    private func send(_ stage: inout Stage, _ device: DeviceID) -> PushDraft? {
        let built = stage.build(device)
        if built.draft != nil { stage.answer(device, built.request, .accepted) }
        return built.draft
    }

    /// Sends one push, whose unit the stories below are about.
    private func spent() -> Stage {
        var stage = stage()
        stage.message()
        send(&stage, .phone)
        send(&stage, .tablet)
        return stage
    }

    @Test(arguments: [(29_000, false, 1), (30_000, true, 0)])
    func `units count on after a restart, for the rest of their minute`(
        wait: Int64, isSent: Bool, units: Int
    ) throws {
        var stage = spent()
        stage.now += 30_000
        _ = try restart(&stage, after: wait, boots: true)
        #expect(stage.user.rateWindow.units.count == units)
        stage.message()
        #expect((send(&stage, .phone) != nil) == isSent)
    }

    @Test func `a clock that has gone back keeps a unit for a minute from now, no longer`() throws {
        var stage = spent()
        _ = try restart(&stage, jump: -86_400_000, boots: true)
        stage.now += 59_999
        stage.message()
        #expect(send(&stage, .phone) == nil)
        stage.now += 1
        stage.message()
        #expect(send(&stage, .phone) != nil)
    }

    @Test func `a clock that jumps while the process runs moves no unit`() throws {
        var stage = spent()
        stage.bootedAt += 86_400_000
        _ = try restart(&stage, after: 1_000)
        #expect(stage.user.rateWindow.units.count == 1)
        stage.bootedAt -= 2 * 86_400_000
        _ = try restart(&stage, after: 1_000)
        #expect(stage.user.rateWindow.units.count == 1)
        _ = try restart(&stage, after: 58_000)
        #expect(stage.user.rateWindow.units.isEmpty)
    }

    @Test func `a copy of a message that was admitted needs no second unit`() throws {
        var stage = stage()
        stage.message("m-1")
        send(&stage, .phone)
        _ = try restart(&stage, after: 1_000, boots: true)
        #expect(send(&stage, .tablet)?.alert?.oldestMessage == MessageID("m-1"))
        #expect(stage.user.rateWindow.units.count == 1)
    }

    @Test func `a held copy of a message that was dropped ends when it is read back`() throws {
        var stage = stage()
        stage.connect(.tablet, 1)
        stage.message("m-1")
        send(&stage, .phone)
        stage.message("m-2")
        #expect(stage.build(.phone).actions.contains(.saveRecord))
        let actions = try restart(&stage, after: 61_000)
        #expect(actions.reasons == [.rateLimited])
        #expect(send(&stage, .tablet)?.alert?.oldestMessage == MessageID("m-1"))
    }

    @Test func `a request that outlived the state has its unit`() {
        var stage = stage()
        stage.message()
        let phone = stage.user.devices[0]
        let task = phone.groups[0].tasks[0]
        stage.user = User(
            key: stage.user.key, id: stage.user.id, mailboxID: stage.user.mailboxID,
            head: stage.user.head,
            conversations: stage.user.conversations,
            devices: [Device(key: phone.key, id: phone.id, profile: phone.profile, tokens: phone.tokens)],
            policy: stage.user.sharedPolicy)
        let attempt = PushAttempt(request: 9, token: phone.tokens[0].key)
        _ = stage.user.recovered(
            [.init(device: phone.key, task: task, attempts: 0, state: .inFlight(.init(attempt, seqs: [1])))],
            at: stage.moment)
        #expect(stage.user.rateWindow.units.count == 1)
        stage.message()
        stage.answer(.phone, 9, .accepted)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `a planned drain writes down the units of the last minute`() {
        var stage = stage()
        stage.message()
        stage.answer(.phone, stage.build(.phone).request, .channelFault)
        #expect(stage.user.draining(at: stage.moment).contains(.saveRecord))
        stage.now += 60_000
        #expect(!stage.user.draining(at: stage.moment).contains(.saveRecord))
    }

    @Test func `the wake budget counts on after a restart, for the rest of the hour`() throws {
        for (wait, kind) in [(3_599_999, PushKind.alert), (3_600_000, .wake)] as [(Int64, PushKind)] {
            var stage = stage()
            stage.message(wantsWake: true)
            #expect(send(&stage, .phone)?.kind == .wake)
            _ = try restart(&stage, after: wait, boots: true)
            stage.message(wantsWake: true)
            // The tablet's copy of the first needs no budget of the phone's.
            #expect(send(&stage, .phone)?.kind == kind)
        }
    }

    @Test func `bytes that are no record are none`() throws {
        var stage = spent()
        stage.connect(.tablet, 1)
        stage.message()
        _ = stage.build(.phone)
        let bytes = stage.user.pushRecord(at: stage.moment).encoded()
        let decoded = try #require(PushRecord(decoding: bytes, messages: [:]))
        #expect(decoded.rate == stage.user.rateRecord(at: stage.moment))
        for count in bytes.indices {
            #expect(PushRecord(decoding: Array(bytes[..<count]), messages: [:]) == nil)
        }
        for index in bytes.indices {
            var broken = bytes
            broken[index] ^= 0xff
            _ = PushRecord(decoding: broken, messages: [:])
        }
    }
}
