/// The users of N-6, in groups of a tenant each, and what is known of them from outside while they live.
struct BadgeWorld: Sendable {
    struct Group: Sendable {
        let target: CaseTarget
        let users: Range<Int>
        let conversations: [String]
        var countsMuted = false
        /// In milliseconds.
        let settle: Int64
        let repair: Int64
    }

    /// A message that was acknowledged and not recalled.
    struct Sent: Sendable {
        let number: Int
        let conversation: String
        let recipients: [Int]
    }

    let groups: [Group]
    /// By the device's number in the fleet.
    let devices: [LoadDevice]
    /// By user.
    let groupOf: [Int]
    private let devicesOf: [[Int]]
    var isOnline: [Bool]
    /// By user: the highest seq that the server has told.
    private(set) var known: [Int64]
    /// The newest of each group.
    private(set) var sent: [[Sent]]

    private static let remembered = 200

    init(groups: [Group], devices: [LoadDevice]) {
        self.groups = groups
        self.devices = devices
        let count = groups.reduce(0) { $0 + $1.users.count }
        groupOf = (0..<count).map { user in groups.firstIndex { $0.users.contains(user) } ?? 0 }
        var byUser = Array(repeating: [Int](), count: count)
        for (number, device) in devices.enumerated() { byUser[device.user].append(number) }
        devicesOf = byUser
        isOnline = Array(repeating: false, count: devices.count)
        known = Array(repeating: 0, count: count)
        sent = Array(repeating: [], count: groups.count)
    }

    var users: Range<Int> { 0..<groupOf.count }

    func group(of user: Int) -> Group { groups[groupOf[user]] }

    func devices(of user: Int) -> [Int] { devicesOf[user] }

    mutating func learned(_ user: Int, _ seq: Int64) { known[user] = max(known[user], seq) }

    mutating func acknowledged(_ message: Sent, group: Int) {
        sent[group].append(message)
        if sent[group].count > Self.remembered { sent[group].removeFirst() }
    }

    mutating func forget(_ message: Int, group: Int) { sent[group].removeAll { $0.number == message } }
}
