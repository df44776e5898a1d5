import EventLoop
import Glibc
import Wire

/// The owner is paused past its lease, and wakes up when its successor has the data.
extension FailoverRounds {
    func freeze(_ round: Int, _ traffic: FailoverTraffic) async throws -> FailoverOutcome {
        let (old, server) = (pair.ownerIndex, pair.owner)
        let epoch = await leases.epoch
        let slow = try await stuff(server)
        let patient = await PatientClients.open(Self.strangers, to: server.publicAddress, on: loop)
        let online = phones.notes.begin()
        let struckAt = WallClock.now()
        server.signal(SIGSTOP)
        let late = await LateComers.connect(tenant, users: Self.strangers, to: server.publicAddress)
        try await patient.authenticate(tenant, user: heavy.user + 1)
        // What the kernels hold arrives now; what comes later was written later.
        slow.resume()
        let takeover = try await takeOver(struckAt, epoch)
        try await Task.sleep(for: .milliseconds(1_500))
        var seen = FreezeEvidence()
        seen.rowsBefore = try await postgres.rows(ofEpoch: epoch)
        try await pair.collect()
        let received = pair.received(by: old)
        seen.slowBefore = await slow.received()
        let resumed = try await wakeUp(server, &seen)
        seen.slowAfter = await slow.received()
        _ = await slow.end()
        seen.take(phones.notes.end(), online: online, resumed: resumed.boot)
        seen.lateWelcomes = late.notes.welcomes
        seen.patient = patient.count
        seen.patientFrames = await patient.end()
        seen.rowsAfter = try await postgres.rows(ofEpoch: epoch)
        try await pair.collect()
        seen.pushes = pair.received(by: old) - received
        seen.hasAcknowledged = await traffic.lastAcknowledgement(of: old) >= resumed.wall
        seen.isStandby = try await pair.isStandby(old)
        seen.hasEnded = server.hasEnded
        seen.leaseIsSuccessors = await leases.epoch == epoch + 1
        await late.fleet.stop()
        try await traffic.end()
        var outcome = FailoverOutcome(round: round, blow: .freeze, takeover: takeover)
        outcome.remark = "\(seen.connected.count) devices had been its own; "
        outcome.violations = FreezeChecker.violations(of: seen)
        return outcome
    }

    /// Devices that read nothing of a mailbox that is too large for their sockets.
    private func stuff(_ server: ServerProcess) async throws -> PatientClients {
        let slow = await PatientClients.open(Self.strangers, to: server.publicAddress, on: loop)
        slow.pause()
        try await slow.authenticate(tenant, user: heavy.user)
        try await Task.sleep(for: .seconds(1))
        return slow
    }

    /// SIGCONT, a request at once, and the time in which it could do harm.
    private func wakeUp(_ server: ServerProcess, _ seen: inout FreezeEvidence) async throws
        -> (wall: Int64, boot: UInt64)
    {
        let resumed = (wall: WallClock.now(), boot: MonotonicClock.now())
        server.signal(SIGCONT)
        seen.postStatus =
            (try? await WebCall.send(
                .post, "/v1/messages", to: server.publicAddress, authorization: "Bearer \(tenant.apiKey)",
                body: Array("{}".utf8), on: loop
            ).status) ?? 0
        try await Task.sleep(for: .milliseconds(Self.awakeMilliseconds))
        return resumed
    }

    /// Devices that come, or say who they are, while it sleeps.
    private static var strangers: Int { 8 }
    private static var awakeMilliseconds: Int { 5_000 }
}

extension FreezeEvidence {
    /// - Parameter online: who was when the owner was paused.
    fileprivate mutating func take(_ all: [PhoneNote], online: Set<Int>, resumed: UInt64) {
        let left = all.filter { $0.time < resumed && $0.kind.isEnd }.map(\.device)
        connected = online.subtracting(left)
        notes = all.filter { $0.time >= resumed }
    }
}

extension PhoneNote.Kind {
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}
