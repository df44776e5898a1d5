import EventLoop

/// A user of the case: whose zone counts, and whether it is quiet there.
struct QuietPerson: Sendable {
    /// Zones whose clocks never change, hours apart; the tenant's is UTC.
    private static let zones = (
        right: (name: "Asia/Tokyo", minutes: 540), wrong: (name: "America/Phoenix", minutes: -420)
    )

    enum Zone: Int, Sendable {
        /// The user has set one, and the device reports another.
        case user
        /// One device reports the right one, the other another.
        case device
        /// Nobody has said anything.
        case tenant
    }

    let number: Int
    /// It is quiet by the zone that counts, and would not be by any other; or the other way round.
    let isInside: Bool
    private let zone: Zone
    private let transport: LoadTenant.Transport

    init(_ number: Int, _ transports: [LoadTenant.Transport]) {
        self.number = number
        isInside = number % 2 == 0
        zone = [Zone.user, .device, .tenant][number / 2 % 3]
        transport = transports[number / 6 % transports.count]
    }

    var devices: [LoadDevice] {
        var tablet = LoadDevice(user: number, transport: transport)
        var phone = LoadDevice(user: number, name: LoadTenant.phone)
        switch zone {
        case .user: tablet.timeZone = Self.zones.wrong.name
        case .device: tablet.timeZone = Self.zones.right.name
        case .tenant: break
        }
        phone.timeZone = Self.zones.wrong.name
        return zone == .device ? [tablet, phone] : [tablet]
    }

    /// The devices for which it is quiet while the hours stand.
    var quietDevices: Set<String> {
        if isInside { return [LoadTenant.device] }
        return zone == .device ? [LoadTenant.phone] : []
    }

    /// The zone of the user's settings.
    var ownZone: String? { zone == .user ? Self.zones.right.name : nil }

    /// Four hours around now, or the twenty others: minutes of the day by the zone that counts.
    ///
    /// - Parameter now: milliseconds since 1970.
    func hours(at now: Int64) -> (start: Int, end: Int) {
        let offset = zone == .tenant ? 0 : Self.zones.right.minutes
        let minute = Int(now / 60_000 % 1_440) + offset
        let (before, after) = ((minute + 1_440 - 120) % 1_440, (minute + 120) % 1_440)
        return isInside ? (before, after) : (after, before)
    }
}

/// Takes all users of the case through the same steps, and looks after each.
struct QuietStage: Sendable {
    enum Mention { case none, user, all }

    let target: CaseTarget
    let people: [QuietPerson]
    private var watch: PushWatch
    private var steps: [[QuietChecker.Step]]
    private var isQuiet = false
    private var due = 0
    /// The number of the next message; the first ones are those of their users.
    private(set) var next = 0

    init(target: CaseTarget, people: [QuietPerson], watch: PushWatch) {
        self.target = target
        self.people = people
        self.watch = watch
        steps = Array(repeating: [], count: people.count)
    }

    mutating func begin() async throws {
        let now = WallClock.now()
        try await target.call(
            people.map { target.backend.quiet($0.number, $0.hours(at: now), zone: $0.ownZone) })
        isQuiet = true
    }

    mutating func end() async throws {
        try await target.call(people.map { target.backend.quiet($0.number, nil, zone: nil) })
        isQuiet = false
    }

    /// One message for each user.
    mutating func message(mention: Mention = .none) async throws {
        let first = next
        next += people.count
        let drafts = people.map { person in
            var draft = MessageDraft(first + person.number, "q-\(person.number)", to: [person.number])
            draft.isGroup = true
            draft.mentions = mention == .user ? [person.number] : []
            draft.mentionsAll = mention == .all
            return draft
        }
        let tasks = try await target.send(drafts)
        let badges = try await target.badges(of: people.map(\.number))
        for person in people {
            let index = person.number
            steps[index].append(
                QuietChecker.Step(
                    message: first + index, mentions: mention != .none,
                    quiet: isQuiet ? person.quietDevices : [], tasks: tasks[index], badge: badges[index]))
        }
        due += tasks.reduce(0) { $0 + max(0, $1) }
        // The next step would change the badge of a push that is not yet built.
        try await watch.await(due, patienceSeconds: 5)
    }

    /// What was seen of each user.
    var users: [QuietChecker.User] {
        let pushes = watch.byToken
        return people.map { person in
            let devices = person.devices
            return QuietChecker.User(
                number: person.number, devices: devices.map(\.name), steps: steps[person.number],
                pushes: Dictionary(
                    devices.map { ($0.name, pushes[$0.token] ?? []) }, uniquingKeysWith: { $1 }))
        }
    }
}
