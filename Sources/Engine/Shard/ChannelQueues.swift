import Domain

/// Devices with something to send, per channel, by priority; and how much a channel takes.
///
/// A device stands in a queue once; what it sends is decided when its turn comes. A halted channel (window 0)
/// keeps its queues and stops no other.
struct ChannelQueues {
    struct Ticket {
        let user: UserName
        let device: DeviceKey
    }

    private struct Channel {
        var calls = Queue()
        /// One queue per priority, taken from the front.
        var queues = ChannelQueues.emptyQueues
        var inFlight = 0
        var window = ChannelQueues.firstWindow
        var reason = ""
        var count: Int { queues.reduce(calls.count) { $0 + $1.count } }
    }

    private struct Queue {
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

    private static let emptyQueues = Array(repeating: Queue(), count: 4)

    /// Before the sender has said anything.
    static let firstWindow = 16

    private var channels: [ChannelID: Channel] = [:]
    /// In the order in which they were first used: the same events give the same turns.
    private(set) var ids: [ChannelID] = []

    /// A channel is served from its first use on, whatever that is.
    private mutating func open(_ id: ChannelID) {
        guard channels[id] == nil else { return }
        channels[id] = Channel()
        ids.append(id)
    }

    mutating func add(_ ticket: Ticket, to channel: ChannelID, _ priority: PushPriority) {
        open(channel)
        channels[channel]?.queues[Int(priority.rawValue)].append(ticket)
    }

    /// A call goes before all else.
    mutating func addCall(_ ticket: Ticket, to channel: ChannelID) {
        open(channel)
        channels[channel]?.calls.append(ticket)
    }

    /// As `next`, of the devices that have a call to push.
    mutating func nextCall(_ id: ChannelID) -> Ticket? {
        guard let channel = channels[id], channel.inFlight < channel.window,
            let ticket = channels[id]?.calls.popFirst()
        else { return nil }
        channels[id]?.inFlight += 1
        return ticket
    }

    /// The next device of a channel that has room; counts it as in flight until `landed`.
    mutating func next(_ id: ChannelID, _ priority: PushPriority) -> Ticket? {
        guard var channel = channels[id], channel.inFlight < channel.window else { return nil }
        channels[id] = nil
        defer { channels[id] = channel }
        guard let ticket = channel.queues[Int(priority.rawValue)].popFirst() else { return nil }
        channel.inFlight += 1
        return ticket
    }

    /// Whether some device of the tenant waits for its turn.
    func hasTickets(of tenant: TenantKey) -> Bool {
        channels.contains { $0.key.tenant == tenant && $0.value.count > 0 }
    }

    /// A request of the channel came back, or a ticket had nothing left to send.
    mutating func landed(_ id: ChannelID) { channels[id]?.inFlight -= 1 }

    mutating func setWindow(_ id: ChannelID, _ window: Int, reason: String) {
        open(id)
        channels[id]?.window = window
        channels[id]?.reason = reason
    }

    /// Forgets the queues but not what the senders still hold.
    mutating func clearQueues() {
        for id in channels.keys {
            channels[id]?.queues = Self.emptyQueues
            channels[id]?.calls = Queue()
        }
    }

    var statuses: [ChannelStatus] {
        channels.map {
            ChannelStatus(
                channel: $0.key, queued: $0.value.count, inFlight: $0.value.inFlight, window: $0.value.window,
                reason: $0.value.reason)
        }
    }
}
