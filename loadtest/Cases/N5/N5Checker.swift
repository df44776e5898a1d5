/// What must hold of N-5: a token that its provider calls dead is gone, nothing is tried for its device any
/// more, and the device still gets every message, over the gateway and by the mailbox call. Pure.
enum N5Checker {
    /// A user whose device's token died.
    struct Dead: Sendable {
        var user = 0
        /// The numbers of the messages before, at and after the death; within each in any order.
        var rounds: [[Int]] = []
        /// What the providers received for the device's token, refused pushes included.
        var pushes: [ReceivedPush] = []
        /// After the refusal.
        var status: DeviceStatus?
        /// Over the gateway; nil: this device used only the mailbox call.
        var gateway: DeviceObservation?
        var pages = MailboxReading()
        /// The device's applied seq after it acknowledged all.
        var appliedSeq: Int64 = 0

        init() {}
    }

    /// A user whose device was connected, got an entry and did not acknowledge it there.
    struct Held: Sendable {
        var user = 0
        /// Whether it acknowledged by HTTP.
        var isApplied = false
        var pushes: [ReceivedPush] = []
    }

    struct Evidence: Sendable {
        var dead: [Dead] = []
        var held: [Held] = []
        /// Tasks in the acknowledgements of the messages after the death, and as the server counts.
        var laterTasks = 0
        var laterTasksMade = 0
        var openTasks = 0
        /// Statuses of the calls that acknowledge by HTTP, and of one beyond the head.
        var appliedStatuses: [Int] = []
        var beyondHeadStatus = 0
    }

    static func findings(_ evidence: Evidence) -> Findings {
        var found = Findings()
        for user in evidence.dead {
            death(user, &found)
            sync(user, &found)
        }
        found.expect("tasks for devices without a token, by the answers", evidence.laterTasks, equals: 0)
        found.expect(
            "tasks for devices without a token, by the counter", evidence.laterTasksMade, equals: 0)
        held(evidence, &found)
        found.expect("tasks still open", evidence.openTasks, equals: 0)
        return found
    }

    // MARK: The death

    private static func death(_ user: Dead, _ found: inout Findings) {
        let name = LoadTenant.user(user.user)
        if let status = user.status {
            if status.isWakeable { found.add("a device with a dead token is still wakeable", name) }
            if !status.transports.isEmpty {
                found.add(
                    "a dead token is still there", "\(name): \(status.transports.joined(separator: ", "))")
            }
        } else {
            found.add("a device went with its token", name)
        }
        guard user.rounds.count == 3 else { return }
        for message in user.rounds[0] { expect(message, user, accepted: 1, refused: 0, &found) }
        for message in user.rounds[1] { expect(message, user, accepted: 0, refused: 1, &found) }
        for message in user.rounds[2] { expect(message, user, accepted: 0, refused: 0, &found) }
    }

    private static func expect(
        _ message: Int, _ user: Dead, accepted: Int, refused: Int, _ found: inout Findings
    ) {
        let id = RequestTemplate.messageID(message)
        let pushes = user.pushes.filter { $0.messageID == id }
        let counts = (pushes.count { $0.status == 200 }, pushes.count { $0.status != 200 })
        guard counts != (accepted, refused) else { return }
        let kind =
            accepted == 1
            ? "a message before the token's death was not pushed once"
            : refused == 1
                ? "the message that met the dead token was not tried once"
                : "a message after the token's death was pushed"
        found.add(
            kind, "\(id) of \(LoadTenant.user(user.user)): accepted \(counts.0), refused \(counts.1)")
    }

    // MARK: The sync

    private static func sync(_ user: Dead, _ found: inout Findings) {
        let name = LoadTenant.user(user.user)
        let all = user.rounds.flatMap(\.self)
        for fault in user.pages.faults { found.add("a page of the mailbox is wrong", "\(name): \(fault)") }
        order(user.pages.entries.map { ($0.seq, Int($0.messageNumber)) }, user, "the mailbox call", &found)
        if user.pages.head != Int64(all.count) {
            found.add("a head is not the number of messages", "\(name): \(user.pages.head) of \(all.count)")
        }
        if user.appliedSeq != Int64(all.count) {
            found.add(
                "an acknowledgement was not kept", "\(name): \(user.appliedSeq), the head is \(all.count)")
        }
        guard let device = user.gateway else { return }
        for violation in device.violations {
            found.add("a device was sent its entries wrongly", "\(name): \(violation)")
        }
        let received = device.seen.enumerated().map { (Int64($0) + device.firstSeq, Int($1.message)) }
        order(received, user, "the gateway", &found)
        if received.map(\.1) != user.pages.entries.map({ Int($0.messageNumber) }) {
            found.add("the gateway and the mailbox call tell another order", name)
        }
    }

    /// Every message once, its seqs without a gap, and no round before an earlier one.
    private static func order(
        _ entries: [(seq: Int64, message: Int)], _ user: Dead, _ way: String, _ found: inout Findings
    ) {
        let name = LoadTenant.user(user.user)
        if entries.map(\.seq) != entries.indices.map({ Int64($0) + 1 }) {
            found.add("\(way) leaves out or repeats a seq", "\(name): \(entries.prefix(20).map(\.seq))")
        }
        var rest = entries.map(\.message)[...]
        for round in user.rounds {
            let part = rest.prefix(round.count)
            if part.sorted() != round.sorted() {
                return found.add(
                    "\(way) does not tell every message, in its order",
                    "\(name): \(entries.map(\.message)), sent were \(user.rounds)")
            }
            rest = rest.dropFirst(round.count)
        }
        if !rest.isEmpty { found.add("\(way) tells more than was sent", "\(name): \(Array(rest))") }
    }

    // MARK: Evidence by HTTP

    private static func held(_ evidence: Evidence, _ found: inout Findings) {
        for user in evidence.held {
            let name = LoadTenant.user(user.user)
            if user.isApplied, let push = user.pushes.first {
                found.add("a message acknowledged by HTTP was pushed", "\(push.messageID) of \(name)")
            }
            if !user.isApplied, user.pushes.count != 1 {
                found.add(
                    "a message never acknowledged was not pushed once", "\(name): \(user.pushes.count)")
            }
        }
        for status in evidence.appliedStatuses where status != 204 {
            found.add("an acknowledgement by HTTP was not taken", "\(status)")
        }
        if !(400..<500).contains(evidence.beyondHeadStatus) {
            found.add(
                "an acknowledgement beyond the head was not refused", "\(evidence.beyondHeadStatus)")
        }
    }
}
