import Domain

/// Devices with something to send, per channel, by priority; and how much a channel takes.
///
/// A device stands in a queue once; what it sends is decided when its turn comes. A halted channel (window 0)
/// keeps its queues and stops no other.
struct ChannelQueues {
    struct Ticket {
        /// As it was when the device was queued.
        let cached: CachedUser
        let device: DeviceKey
    }

    struct CallTicket {
        let user: UserName
        let device: DeviceKey
    }

    private struct Channel {
        var calls = Queue<CallTicket>()
        /// One queue per priority, taken from the front.
        var queues = ChannelQueues.emptyQueues
        var inFlight = 0
        var window = ChannelQueues.firstWindow
        var reason = ""
        var count: Int { queues.reduce(calls.count) { $0 + $1.count } }
        var hasRoom: Bool { inFlight < window }
    }

    private struct Queue<Ticket> {
        private var tickets: [Ticket] = []
        private var first = 0
        var count: Int { tickets.count - first }

        mutating func append(_ ticket: Ticket) { tickets.append(ticket) }

        mutating func popFirst() -> Ticket? {
            guard first < tickets.count else { return nil }
            defer {
                first += 1
                if first > 1_024, first * 2 > tickets.count {
                    tickets.removeFirst(first)
                    first = 0
                }
            }
            return tickets[first]
        }
    }

    private static var emptyQueues: [Queue<Ticket>] { Array(repeating: Queue(), count: 4) }

    /// Before the sender has said anything.
    static let firstWindow = 16

    /// In the order in which they were first used: the same events give the same turns. A channel keeps its
    /// place.
    private(set) var ids: [ChannelID] = []
    /// By their places in `ids`.
    private var channels: [Channel] = []
    private var places: [ChannelID: Int] = [:]

    /// A channel is served from its first use on, whatever that is.
    private mutating func open(_ id: ChannelID) -> Int {
        if let place = places[id] { return place }
        places[id] = channels.count
        channels.append(Channel())
        ids.append(id)
        return channels.count - 1
    }

    mutating func add(_ ticket: Ticket, to channel: ChannelID, _ priority: PushPriority) {
        channels[open(channel)].queues[Int(priority.rawValue)].append(ticket)
    }

    /// A call goes before all else.
    mutating func addCall(_ ticket: CallTicket, to channel: ChannelID) {
        channels[open(channel)].calls.append(ticket)
    }

    /// As `next`, of the devices that have a call to push.
    mutating func nextCall(at place: Int) -> CallTicket? {
        guard channels[place].hasRoom, let ticket = channels[place].calls.popFirst() else { return nil }
        channels[place].inFlight += 1
        return ticket
    }

    /// The next device of a channel that has room; counts it as in flight until `landed`.
    mutating func next(at place: Int, _ priority: PushPriority) -> Ticket? {
        guard channels[place].hasRoom,
            let ticket = channels[place].queues[Int(priority.rawValue)].popFirst()
        else { return nil }
        channels[place].inFlight += 1
        return ticket
    }

    /// The places of the channels of which a device of this priority may have its turn now.
    func waiting(_ priority: PushPriority) -> [Int] {
        channels.indices.filter {
            channels[$0].hasRoom && channels[$0].queues[Int(priority.rawValue)].count > 0
        }
    }

    /// How many devices may have their turn now, at the most.
    var turns: Int { channels.reduce(0) { $0 + min($1.count, max(0, $1.window - $1.inFlight)) } }

    /// As `waiting`, of calls.
    var waitingCalls: [Int] {
        channels.indices.filter { channels[$0].hasRoom && channels[$0].calls.count > 0 }
    }

    /// Whether some device of the tenant waits for its turn.
    func hasTickets(of tenant: TenantKey) -> Bool {
        ids.indices.contains { ids[$0].tenant == tenant && channels[$0].count > 0 }
    }

    /// A request of the channel came back, or a ticket had nothing left to send.
    mutating func landed(at place: Int) { channels[place].inFlight -= 1 }

    mutating func setWindow(_ id: ChannelID, _ window: Int, reason: String) {
        let place = open(id)
        channels[place].window = window
        channels[place].reason = reason
    }

    /// Forgets the queues but not what the senders still hold.
    mutating func clearQueues() {
        for place in channels.indices {
            channels[place].queues = Self.emptyQueues
            channels[place].calls = Queue<CallTicket>()
        }
    }

    var statuses: [ChannelStatus] {
        zip(ids, channels).map { id, channel in
            ChannelStatus(
                channel: id, queued: channel.count, inFlight: channel.inFlight, window: channel.window,
                reason: channel.reason)
        }
    }
}
