/// What must hold of devices that drop and return while messages flow: each gets its mailbox whole and in
/// order, and a push tells only of what its device had not acknowledged when it fell due. Pure.
enum StormChecker {
    struct Push: Equatable, Sendable {
        /// The device's number in the fleet.
        let device: Int
        let message: Int
        /// Milliseconds since the fleet began.
        let at: Int
    }

    struct Evidence: Sendable {
        /// Users take turns: message n is of user n % users.
        var users = 0
        var messages = 0
        /// Device d is of user d / devicesOfUser.
        var devicesOfUser = 2
        var devices: [DeviceObservation] = []
        /// By message: when its 202 came, in milliseconds since the fleet began; it was committed then.
        var acknowledgedAt: [Int] = []
        /// Those that the providers accepted.
        var pushes: [Push] = []
        var counts = PushCounts()
        /// Every device waits for so long at most before it hands over a task (push_grace_window).
        var graceMilliseconds = 3_000
        /// From an APPLIED to its effect: what is handed over meanwhile cannot be called back.
        var settlingMilliseconds = 1_000
        /// An entry that its device missed for so long must have been pushed.
        var missedMilliseconds = 1_000
    }

    /// Why a push was right, or that it was not.
    enum Verdict: String, CaseIterable, Sendable {
        /// Not acknowledged when the device left, or materialised while it was away.
        case away
        /// The entry reached the connected device only after the grace window.
        case late
        /// Acknowledged in time over a connection that was there all along.
        case unfounded
        /// Acknowledged long before the push went out.
        case overtaken
        /// The device never received such an entry.
        case unknown
    }

    static func findings(_ evidence: Evidence) -> Findings {
        var found = Findings()
        let perUser = { (user: Int) in Array(stride(from: user, to: evidence.messages, by: evidence.users)) }
        found.add(
            DeviceOrderChecker.findings(
                { name($0, evidence) }, evidence.devices,
                head: { Int64(perUser($0 / evidence.devicesOfUser).count) },
                expected: { perUser($0 / evidence.devicesOfUser) }))
        var once: Set<[Int]> = []
        for (push, verdict) in zip(evidence.pushes, verdicts(evidence)) {
            let text = "\(RequestTemplate.messageID(push.message)) to \(name(push.device, evidence))"
            if !once.insert([push.device, push.message]).inserted {
                found.add("a device was pushed more than once for a message", text)
            }
            switch verdict {
            case .away, .late: break
            case .unfounded: found.add("a push told of an entry that was applied in time", text)
            case .overtaken: found.add("a push went out long after its entry was applied", text)
            case .unknown: found.add("a push told of an entry that its device never got", text)
            }
        }
        for missed in missed(evidence) where !once.contains(missed) {
            found.add(
                "an entry came while its device was away, and was not pushed",
                "\(RequestTemplate.messageID(missed[1])) to \(name(missed[0], evidence))")
        }
        tasks(evidence.counts, &found)
        return found
    }

    static func name(_ device: Int, _ evidence: Evidence) -> String {
        let names = LoadTenant.bothDevices
        return "the \(names[device % evidence.devicesOfUser]) of "
            + LoadTenant.user(device / evidence.devicesOfUser)
    }

    private static func tasks(_ counts: PushCounts, _ found: inout Findings) {
        found.expect("tasks still open", counts.tasksOpen, equals: 0)
        found.expect(
            "tasks with an outcome", counts.outcomes.values.reduce(0, +), equals: counts.tasksMade)
        if let violations = counts.pd1Violations {
            found.expect("rouse_pd1_violations", violations, equals: 0)
        }
    }

    /// Device and message of each entry that was sent while its device had been away for a moment, and
    /// committed long before it came back.
    static func missed(_ evidence: Evidence) -> [[Int]] {
        var found: [[Int]] = []
        for (device, seen) in evidence.devices.enumerated() {
            for absence in seen.absences where absence.until != .max {
                let begin = Int(absence.from) + evidence.settlingMilliseconds / 2
                let end = Int(absence.until) - evidence.missedMilliseconds
                for entry in seen.seen where Int(entry.sentAt) >= begin {
                    let message = Int(entry.message)
                    guard evidence.acknowledgedAt.indices.contains(message) else { continue }
                    let committed = evidence.acknowledgedAt[message]
                    if committed > 0, committed <= end { found.append([device, message]) }
                }
            }
        }
        return found
    }

    // MARK: Verdicts

    static func verdicts(_ evidence: Evidence) -> [Verdict] {
        var places: [Int: [Int: Int64]] = [:]
        for device in Set(evidence.pushes.map(\.device)) where device < evidence.devices.count {
            let seen = evidence.devices[device]
            for (index, entry) in seen.seen.enumerated() {
                places[device, default: [:]][Int(entry.message)] = seen.firstSeq + Int64(index)
            }
        }
        return evidence.pushes.map { push in
            guard let seq = places[push.device]?[push.message],
                let entry = evidence.devices[push.device][seq]
            else { return .unknown }
            return verdict(push, seq, entry, evidence.devices[push.device].absences, evidence)
        }
    }

    private static func verdict(
        _ push: Push, _ seq: Int64, _ entry: SeenEntry, _ absences: [Absence], _ evidence: Evidence
    ) -> Verdict {
        let (applied, settling) = (Int(entry.appliedAt), evidence.settlingMilliseconds)
        if applied > 0, applied + settling < push.at { return .overtaken }
        // An APPLIED just before a reset may not have arrived.
        let isOwed = absences.contains { absence in
            seq <= absence.head && (applied == 0 || applied + settling / 4 >= Int(absence.from))
        }
        if isOwed { return .away }
        let written = Int(entry.receivedAt) - Int(entry.sentAt)
        return written >= evidence.graceMilliseconds - 100 ? .late : .unfounded
    }
}
