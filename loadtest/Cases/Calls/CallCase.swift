import EventLoop
import Synchronization
import Wire

/// Calls: VoIP for those who are away, and for those who are there and do not answer in time.
enum CallCase {
    static let command = LoadtestCommand(
        name: "calls", summary: "Calls ring over VoIP and FCM, at once or after the grace, within the quota",
        options: [Option("users", "N", "Users in each scene (10)")] + CaseOptions.shared,
        details: """
            Each user has a phone with tokens for alerts and calls, and an Android tablet. away: both ring at once.
            applied: the phone is there, gets the frame and applies it: only the tablet rings. deaf: it does not
            apply: it rings after call_grace. answered: another connected device answers: CALL_CANCELLED.
            cancelled: by the backend. pending: the phone rings, then connects and gets the frame. quota: five
            calls, three rings. Messages in between: none goes to a VoIP token.
            """,
        run: { options in try await Run(options).run() })

    private enum Scene: Int, CaseIterable, Sendable {
        case away, applied, deaf, answered, cancelled, pending, quota
    }

    private struct Run: Sendable {
        private static let quota = 3
        private static let callsOverQuota = 5

        private let users: Int
        private let options: CaseOptions
        private let loop = EventLoop(label: "calls")

        init(_ options: Options) throws(UsageFailure) {
            users = try options.number("users", in: 1...1_000, default: 10)
            self.options = try CaseOptions(options, rule: nil)
        }

        func run() async throws {
            let target = try await options.open(
                keptPushes: 1_000_000, isStrict: true, needsFCM: true, on: loop)
            let scarce = try await target.other(
                "scarce", policy: ["rtc_voip_push_daily_quota": Self.quota])
            let log = PushLog(target.providers)
            let following = Task { await log.follow() }
            defer { following.cancel() }
            let stage = CallStage(log: log, loop: loop)
            var evidence = CallChecker.Evidence()
            try await withThrowingTaskGroup(of: [CallChecker.Ring].self) { group in
                for scene in Scene.allCases where scene != .quota {
                    let numbers = range(of: scene)
                    group.addTask { try await perform(scene, numbers, target, stage) }
                }
                for try await rings in group { evidence.rings += rings }
            }
            evidence.quotas = try await overQuota(scarce, stage)
            evidence.voip = (0..<users * Scene.allCases.count).flatMap { log[phone($0).voipToken] }
            evidence.rings.sort { ($0.device.user, $0.device.name) < ($1.device.user, $1.device.name) }
            try report(evidence)
        }

        private func range(of scene: Scene) -> Range<Int> {
            (scene.rawValue * users)..<((scene.rawValue + 1) * users)
        }

        private func phone(_ user: Int) -> LoadDevice {
            LoadDevice(user: user, name: LoadTenant.phone, transport: .apnsWithCalls)
        }

        private func tablet(_ user: Int, _ target: CaseTarget) -> LoadDevice {
            LoadDevice(user: user, transport: target.transports.last ?? .apns)
        }

        // MARK: Scenes

        private func perform(
            _ scene: Scene, _ numbers: Range<Int>, _ target: CaseTarget, _ stage: CallStage
        ) async throws -> [CallChecker.Ring] {
            try await target.register(numbers.flatMap { [phone($0), tablet($0, target)] })
            let isThere = scene != .away && scene != .pending
            let names = scene == .answered ? [LoadTenant.phone, LoadTenant.laptop] : [LoadTenant.phone]
            let fleet = try await stage.fleet(numbers, names, target, connects: isThere)
            _ = try await target.send(numbers.map { MessageDraft($0, "c-\($0)", to: [$0]) })
            let calls = numbers.map { "call-\($0)" }
            let answeredAt = try await stage.call(calls, numbers, target)
            switch scene {
            case .away, .quota: break
            case .applied, .cancelled: await fleet.tell("CALL_APPLIED", calls, of: LoadTenant.phone)
            case .deaf: break
            case .answered:
                await fleet.tell("CALL_APPLIED", calls, of: LoadTenant.phone)
                await fleet.tell("CALL_APPLIED", calls, of: LoadTenant.laptop)
                await fleet.tell("CALL_ANSWERED", calls, of: LoadTenant.phone)
            case .pending:
                try await Task.sleep(for: .milliseconds(1_000))
                await fleet.connect()
            }
            if scene == .cancelled { try await target.call(calls.map { target.backend.cancelCall($0) }) }
            try await Task.sleep(for: .milliseconds(2_500))
            let seen = numbers.flatMap { rings(scene, $0, answeredAt, target, stage, fleet) }
            await fleet.stop()
            return seen
        }

        private func rings(
            _ scene: Scene, _ user: Int, _ answeredAt: Int64, _ target: CaseTarget, _ stage: CallStage,
            _ fleet: CallFleet
        ) -> [CallChecker.Ring] {
            var ring = CallChecker.Ring()
            (ring.scene, ring.callID, ring.answeredAt) = ("\(scene)", "call-\(user)", answeredAt)
            ring.device = phone(user)
            ring.pushes = stage.log[phone(user).voipToken]
            ring.frames = fleet.frames(user, LoadTenant.phone, ring.callID)
            switch scene {
            case .away, .quota: ring.expectedPushes = 1
            case .applied, .answered: ring.expectedFrames = ["CALL"]
            case .deaf: (ring.expectedPushes, ring.expectedFrames, ring.delays) = (1, ["CALL"], 800...3_000)
            case .cancelled: ring.expectedFrames = ["CALL", "CALL_CANCELLED"]
            case .pending: (ring.expectedPushes, ring.expectedFrames) = (1, ["CALL"])
            }
            var other = ring
            other.device = tablet(user, target)
            other.pushes = stage.log[other.device.token]
            (other.frames, other.expectedFrames) = ([], [])
            (other.expectedPushes, other.delays) = (target.transports.count > 1 ? 1 : 0, -1_000...2_000)
            guard scene == .answered else { return [ring, other] }
            var third = ring
            third.device = LoadDevice(user: user, name: LoadTenant.laptop)
            (third.pushes, third.frames) = ([], fleet.frames(user, LoadTenant.laptop, ring.callID))
            third.expectedFrames = ["CALL", "CALL_CANCELLED"]
            return [ring, other, third]
        }

        private func overQuota(_ target: CaseTarget, _ stage: CallStage) async throws
            -> [(device: LoadDevice, allowed: Int, rung: Int)]
        {
            let numbers = range(of: .quota)
            try await target.register(numbers.map(phone))
            for index in 0..<Self.callsOverQuota {
                _ = try await stage.call(numbers.map { "quota-\($0)-\(index)" }, numbers, target)
                try await Task.sleep(for: .milliseconds(300))
            }
            try await Task.sleep(for: .milliseconds(1_500))
            return numbers.map { user in
                (phone(user), Self.quota, stage.log[phone(user).voipToken].count { $0.kind == "call" })
            }
        }

        private func report(_ evidence: CallChecker.Evidence) throws {
            var report = Report(
                options.title("calls: \(users) users in each of \(Scene.allCases.count) scenes"))
            report.add("rings", "devices looked at", evidence.rings.count)
            report.add("voip", "pushes over VoIP", evidence.voip.count)
            report.add("quota", "devices over their quota", evidence.quotas.count)
            report.violations += CallChecker.findings(evidence).sentences
            try options.publish(report)
        }
    }
}

/// Makes calls, and connects the devices that are there.
private struct CallStage: Sendable {
    let log: PushLog
    let loop: EventLoop

    /// One call for each user; when the last was answered, in milliseconds since 1970.
    func call(_ ids: [String], _ users: Range<Int>, _ target: CaseTarget) async throws -> Int64 {
        try await target.call(zip(ids, users).map { target.backend.call($0, to: [$1]) })
        return WallClock.now()
    }

    func fleet(_ users: Range<Int>, _ names: [String], _ target: CaseTarget, connects: Bool) async throws
        -> CallFleet
    {
        let fleet = CallFleet(users, names, target)
        try await fleet.add(target)
        if connects { await fleet.connect() }
        return fleet
    }
}

/// The devices of a scene that are there, and the frames about calls that they got.
private final class CallFleet: Sendable {
    private let users: Range<Int>
    private let names: [String]
    private let fleet: DeviceFleet
    private let seen: SeenCalls

    init(_ users: Range<Int>, _ names: [String], _ target: CaseTarget) {
        let seen = SeenCalls()
        self.users = users
        self.names = names
        self.seen = seen
        fleet = DeviceFleet(to: [target.server.publicAddress], loops: 1) { event in
            if case .call(let type, let id) = event.happening { seen.note(event.device, type, id) }
        }
    }

    func add(_ target: CaseTarget) async throws {
        await fleet.add(try users.flatMap { user in try names.map { try target.profile(user, $0) } })
    }

    func connect() async {
        fleet.connect()
        let count = users.count * names.count
        _ = await fleet.waits(withinMilliseconds: 10_000) { $0.online == count }
    }

    func stop() async { await fleet.stop() }

    /// A frame about its call from each user's device of a name, as soon as it has heard of the call.
    func tell(_ type: String, _ ids: [String], of name: String) async {
        for (user, id) in zip(users, ids) {
            let device = number(user, name)
            for _ in 0..<100 where seen.types(device, id).isEmpty {
                try? await Task.sleep(for: .milliseconds(5))
            }
            fleet.send(device..<(device + 1), text: #"{"type":"\#(type)","call_id":"\#(id)"}"#)
        }
    }

    func frames(_ user: Int, _ name: String, _ id: String) -> [String] {
        seen.types(number(user, name), id)
    }

    private func number(_ user: Int, _ name: String) -> Int {
        (user - users.lowerBound) * names.count + (names.firstIndex(of: name) ?? 0)
    }
}

private final class SeenCalls: Sendable {
    private let frames = Mutex<[String: [String]]>([:])

    func note(_ device: Int, _ type: String, _ id: String) {
        frames.withLock { $0["\(device) \(id)", default: []].append(type) }
    }

    func types(_ device: Int, _ id: String) -> [String] { frames.withLock { $0["\(device) \(id)"] ?? [] } }
}
