import EventLoop
import Glibc
import Wire

/// Performs scenes against a real server, each with a client process in a network of its own.
struct SceneStage: Sendable {
    /// When everything that can follow a message has followed it, and been recorded.
    private static let settledMilliseconds = 20_500
    private static let lookMilliseconds = 50
    private static let fillers = 60
    private static let fillerBytes = 40_000

    let witness: SceneWitness
    let lab: NetworkLab
    let watch: SocketWatch
    let directory: String

    /// What was seen, one piece of evidence for each user.
    func perform(_ act: SceneAct) async throws -> [SceneEvidence] {
        if act.isWired { try await lab.addWired(act.number) } else { try await lab.addBridged(act.number) }
        for user in act.users { try await witness.register(user, device: LoadTenant.device) }
        switch act.scene {
        case .zombie, .zombies: return try await vanish(act)
        case .other: return try await vanishBesideAnother(act)
        case .route: return try await loseRoute(act)
        case .frozen: return try await freeze(act)
        case .thawed: return try await freeze(act, thawingAfter: 17_000)
        case .closed: return try await close(act)
        case .applied: return try await apply(act)
        }
    }

    // MARK: Vanishing

    private func vanish(_ act: SceneAct) async throws -> [SceneEvidence] {
        let client = try await connect(act)
        try await lab.cut(act.number)
        try await client.kill()
        let postedAt = try await witness.post(act.message, to: act.users)
        return try await settle(act, postedAt)
    }

    private func vanishBesideAnother(_ act: SceneAct) async throws -> [SceneEvidence] {
        try await witness.register(act.users.lowerBound, device: LoadTenant.phone)
        let token = try witness.tenant.credential(of: act.users.lowerBound, device: LoadTenant.phone)
        let phone = try DeviceProcess(
            in: nil, to: witness.server.publicAddress, credentials: [token], ["--apply", "now"],
            directory: directory)
        try await phone.reached("authenticated")
        let seen = try await vanish(act)
        var other = SceneEvidence(act.scene, .applied, name: "\(act.name), the phone")
        (other.user, other.device, other.message) = (
            act.users.lowerBound, LoadTenant.phone, act.message
        )
        other.postedAt = seen[0].postedAt
        try await witness.explain(
            act.message, of: act.users.lowerBound, device: LoadTenant.phone, into: &other)
        try phone.order("quit")
        return seen + [other]
    }

    private func loseRoute(_ act: SceneAct) async throws -> [SceneEvidence] {
        guard case .loss(let loss) = act.variant else { return [] }
        let client = try await connect(act)
        try await lab.lose(loss, act.number)
        let postedAt = try await witness.post(act.message, to: act.users)
        defer { client.child.signal(SIGKILL) }
        return try await settle(act, postedAt)
    }

    // MARK: Falling silent

    private func freeze(_ act: SceneAct, thawingAfter wait: Int64? = nil) async throws -> [SceneEvidence] {
        let client = try await connect(act, applying: "now")
        client.freeze()
        defer { client.child.signal(SIGKILL) }
        let postedAt = try await witness.post(act.message, to: act.users)
        guard let wait else { return try await settle(act, postedAt) }
        let wakesAt = try await written(act, postedAt) + wait
        await Self.sleep(until: wakesAt)
        client.thaw()
        return try await settle(act, postedAt, appliedFrom: wakesAt)
    }

    private func close(_ act: SceneAct) async throws -> [SceneEvidence] {
        guard case .close(let manner) = act.variant else { return [] }
        let client = try await connect(act)
        let postedAt = try await witness.post(act.message, to: act.users)
        try await client.reached("entry")
        // The server must have noted the write before the end comes.
        _ = try await written(act, postedAt)
        let closedAt = WallClock.now()
        try client.order("drop \(manner.rawValue)")
        return try await settle(act, postedAt, closedAt: closedAt)
    }

    // MARK: Answering at the last moment

    private func apply(_ act: SceneAct) async throws -> [SceneEvidence] {
        switch act.variant {
        case .grace(let isSilent): try await applyBeforeGraceEnds(act, isSilent: isSilent)
        case .beforeClose(let manner): try await applyBeforeClose(act, manner)
        default: try await applyBeforeWindowEnds(act)
        }
    }

    private func applyBeforeWindowEnds(_ act: SceneAct) async throws -> [SceneEvidence] {
        let client = try await connect(act)
        let postedAt = try await witness.post(act.message, to: act.users)
        let moment = try await written(act, postedAt) + SceneChecker.confirmWindow - 300
        await Self.sleep(until: moment)
        try client.order("apply")
        return try await settle(act, postedAt, appliedFrom: moment)
    }

    private func applyBeforeClose(_ act: SceneAct, _ manner: DropManner) async throws -> [SceneEvidence] {
        let client = try await connect(act)
        let postedAt = try await witness.post(act.message, to: act.users)
        try await client.reached("entry")
        _ = try await written(act, postedAt)
        try client.order("apply\ndrop \(manner.rawValue)")
        return try await settle(act, postedAt)
    }

    /// The client reads nothing until the server's kernel takes no more: the first message that is not wholly
    /// written when its grace is nearly over is the one that counts.
    private func applyBeforeGraceEnds(_ act: SceneAct, isSilent: Bool) async throws -> [SceneEvidence] {
        let client = try await connect(act)
        client.freeze()
        defer { client.child.signal(SIGKILL) }
        for filler in 1...Self.fillers {
            let message = "\(act.message)-\(filler)"
            let postedAt = try await witness.post(message, to: act.users, padding: Self.fillerBytes)
            guard let moment = try await graceNearlyOver(act, message, postedAt) else { continue }
            if !isSilent {
                let seq = try await witness.explain(message, of: act.users.lowerBound)["mailbox_seq"]
                try await witness.apply(seq?.integer ?? 0, of: act.users.lowerBound)
            }
            return try await settle(
                act, postedAt, message: message, appliedFrom: isSilent ? nil : moment)
        }
        throw LoadtestFailure("\(act.name): the server's kernel takes whatever is written to a frozen client")
    }

    /// The moment, once it has come; nil if the message is written before.
    private func graceNearlyOver(_ act: SceneAct, _ message: String, _ postedAt: Int64) async throws
        -> Int64?
    {
        let moment = postedAt + SceneChecker.graceWindow - 350
        while WallClock.now() < moment {
            var seen = SceneEvidence(act.scene, act.expectation, name: act.name)
            try await witness.explain(
                message, of: act.users.lowerBound, device: LoadTenant.device, into: &seen)
            if seen.writtenAt != nil { return nil }
            try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
        return moment
    }

    // MARK: Parts

    /// Starts the act's client and waits until all its devices are online.
    private func connect(_ act: SceneAct, applying how: String = "never") async throws -> DeviceProcess {
        let tokens = try act.users.map { try witness.tenant.credential(of: $0) }
        let client = try DeviceProcess(
            in: lab.addresses.namespace(act.number), to: witness.server.publicAddress, credentials: tokens,
            ["--apply", how], directory: directory)
        try await client.reached("authenticated", times: act.users.count)
        return client
    }

    /// Waits for PUSHED; answers with its time.
    private func written(_ act: SceneAct, _ postedAt: Int64) async throws -> Int64 {
        var seen = SceneEvidence(act.scene, act.expectation, name: act.name)
        while WallClock.now() < postedAt + SceneChecker.graceWindow {
            try await witness.explain(
                act.message, of: act.users.lowerBound, device: LoadTenant.device, into: &seen)
            if let at = seen.writtenAt { return at }
            try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
        throw LoadtestFailure("\(act.name): no PUSHED within the grace: \(seen.steps)")
    }

    private func settle(
        _ act: SceneAct, _ postedAt: Int64, message: String? = nil, closedAt: Int64? = nil,
        appliedFrom: Int64? = nil
    ) async throws -> [SceneEvidence] {
        await Self.sleep(until: postedAt + Int64(Self.settledMilliseconds))
        let host = act.isWired ? lab.addresses.wired(act.number) : lab.addresses.bridged(act.number)
        var all: [SceneEvidence] = []
        for user in act.users {
            let mark = act.users.count > 1 ? ", device \(user - act.users.lowerBound + 1)" : ""
            var seen = SceneEvidence(act.scene, act.expectation, name: act.name + mark)
            seen.message = message ?? act.message
            seen.user = user
            seen.postedAt = postedAt
            seen.closedAt = closedAt
            seen.appliedFrom = appliedFrom
            seen.socketGoneAt = watch.goneAt(host: host)
            try await witness.explain(seen.message, of: user, device: LoadTenant.device, into: &seen)
            all.append(seen)
        }
        return all
    }

    private static func sleep(until time: Int64) async {
        try? await Task.sleep(for: .milliseconds(max(0, time - WallClock.now())))
    }
}
