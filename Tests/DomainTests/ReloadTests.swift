import Domain
import Testing

/// A commit fails, and the state is read back, while requests are with their providers.
@Suite struct ReloadTests {
    @Test func `a cover that is with the provider is not sent once more`() throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        stage.accept(.phone)
        stage.read("c-1", 1)
        let next = stage.nextRequest(.phone)
        let request = try #require(next)
        let flight = try #require(stage.known(.phone, request))
        stage.reload()
        stage.user.fliesOn(flight, to: try #require(stage.user.device(.phone)?.key))
        stage.pass(60_000)
        #expect(stage.build(.phone).draft == nil)
        stage.answer(.phone, request, .accepted)
        #expect(stage.user.device(.phone)?.record.banners == [])
        #expect(stage.user.device(.phone)?.record.badge?.total == 0)
    }

    @Test func `what is read while its push is with the provider is covered`() throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let (request, recovered) = try stage.flyingTask(isRecalled: false)
        stage.read("c-1", 1)
        stage.reload()
        _ = stage.user.recovered([recovered], at: stage.moment)
        stage.answer(.phone, request, .accepted)
        #expect(stage.build(.phone).draft?.kind == .cover)
    }

    @Test func `the badge of a push that is with the provider counts as given`() throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let (request, recovered) = try stage.flyingTask(isRecalled: false)
        stage.reload()
        _ = stage.user.recovered([recovered], at: stage.moment)
        stage.answer(.phone, request, .accepted)
        #expect(stage.user.device(.phone)?.record.badge?.total == 1)
    }

    @Test func `a task whose entry was applied while its push was under way is not pushed once more`() throws
    {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let (_, flying) = try stage.flyingTask(isRecalled: false)
        _ = stage.user.applied(.phone, through: 1, at: stage.moment, keys: &stage.keys)
        let due = User.RecoveredTask(device: flying.device, task: flying.task, attempts: 0, state: .due)
        stage.reload()
        #expect(stage.user.recovered([due], at: stage.moment).ends == [.applied])
        #expect(stage.build(.phone).draft == nil)
        // Its extension may have applied it, beside a banner.
        stage.read("c-1", 1)
        #expect(stage.build(.phone).draft?.cover?.clear == [ConversationID("c-1")])
    }

    @Test func `a silent wake applied while it was under way leaves nothing for a cover to show`() throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message(wantsPush: false)
        stage.message(wantsWake: true)
        let (_, flying) = try stage.flyingTask(isRecalled: false)
        _ = stage.user.applied(.phone, through: 2, at: stage.moment, keys: &stage.keys)
        let due = User.RecoveredTask(device: flying.device, task: flying.task, attempts: 0, state: .due)
        stage.reload()
        #expect(stage.user.recovered([due], at: stage.moment).ends == [.applied])
        #expect(stage.user.device(.phone)?.record.banners == [])
        _ = stage.user.recalled(MessageID("m-1"), 1, in: ConversationID("c-1"), at: stage.moment)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `what was read while a push was under way whose answer nobody heard is covered`() throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let (_, flying) = try stage.flyingTask(isRecalled: false)
        stage.read("c-1", 1)
        let due = User.RecoveredTask(device: flying.device, task: flying.task, attempts: 0, state: .due)
        stage.reload()
        let actions = stage.user.recovered([due], at: stage.moment)
        #expect(actions.ends == [.cancelled])
        #expect(actions.reasons == [.read])
        #expect(stage.build(.phone).draft?.cover?.clear == [ConversationID("c-1")])
        stage.answer(.phone, stage.lastRequest, .accepted)
        #expect(stage.build(.phone).draft == nil)
    }

    @Test func `a task whose message was taken back ends when it is read back, and is covered`() throws {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        let (_, flying) = try stage.flyingTask(isRecalled: true)
        let due = User.RecoveredTask(
            device: flying.device, task: flying.task, attempts: 0, state: .due, isRecalled: true)
        stage.reload()
        let actions = stage.user.recovered([due], at: stage.moment)
        let isCancelled = actions.contains {
            if case .endTask(_, 1, .cancelled, .recalled, _) = $0 { true } else { false }
        }
        #expect(isCancelled)
        #expect(stage.build(.phone).draft?.cover?.clear == [ConversationID("c-1")])
    }
}

extension Stage {
    fileprivate func known(_ device: DeviceID, _ request: UInt64) -> RequestInFlight? {
        user.device(device).flatMap { user.inFlight($0.key, request: request) }
    }

    /// The phone's next request, as a reload finds its task.
    fileprivate mutating func flyingTask(
        isRecalled: Bool
    ) throws -> (request: UInt64, task: User.RecoveredTask) {
        let next = nextRequest(.phone)
        let request = try #require(next)
        let flight = try #require(known(.phone, request))
        let phone = try #require(user.device(.phone))
        let task = try #require(phone.groups.first?.tasks.first)
        return (
            request,
            User.RecoveredTask(
                device: phone.key, task: task, attempts: 0, state: .inFlight(flight), isRecalled: isRecalled)
        )
    }

    /// The state as the store has it: no task, no connection, what was recorded of the pushes.
    fileprivate mutating func reload() {
        let devices = user.devices.map {
            Device(
                key: $0.key, id: $0.id, profile: $0.profile, tokens: $0.tokens, appliedSeq: $0.appliedSeq,
                knownSinceSeq: $0.knownSinceSeq, record: $0.record)
        }
        user = User(
            key: user.key, id: user.id, mailboxID: user.mailboxID, head: user.head,
            conversations: user.conversations, devices: devices, policy: user.sharedPolicy)
    }
}
