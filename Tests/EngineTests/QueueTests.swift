import Domain
import Testing

@testable import Engine

@Suite struct QueueTests {
    private let channel = ChannelID(tenant: TenantKey(1), transport: .apns, environment: .production)

    private let cached = CachedUser(
        name: UserName(tenant: TenantKey(1), user: UserID("u")), tenantName: TenantID("t"),
        user: User(
            key: UserKey(2), id: UserID("u"), mailboxID: MailboxID(bytes: Array(repeating: 1, count: 16)),
            policy: SharedPolicy(Policy())),
        tokens: SealedTokens(), lastUsed: Instant(milliseconds: 0))

    private func ticket(_ device: Int64) -> ChannelQueues.Ticket {
        ChannelQueues.Ticket(cached: cached, device: DeviceKey(device))
    }

    /// The first that any priority has.
    private func next(_ queues: inout ChannelQueues, _ channel: ChannelID) -> ChannelQueues.Ticket? {
        guard let place = queues.ids.firstIndex(of: channel) else { return nil }
        for priority in PushPriority.allCases {
            if let ticket = queues.next(at: place, priority) { return ticket }
        }
        return nil
    }

    @Test func `a channel gives out no more than its window, mentions first`() {
        var queues = ChannelQueues()
        queues.setWindow(channel, 2, reason: "")
        for device in 1...3 { queues.add(ticket(Int64(device)), to: channel, .largeGroup) }
        queues.add(ticket(9), to: channel, .mention)
        #expect(queues.turns == 2)
        #expect(next(&queues, channel)?.device == DeviceKey(9))
        #expect(next(&queues, channel)?.device == DeviceKey(1))
        #expect(next(&queues, channel) == nil)
        #expect(queues.turns == 0)
        queues.landed(at: 0)
        #expect(next(&queues, channel)?.device == DeviceKey(2))
    }

    @Test func `a channel is served whatever its first use was, a call before all else`() {
        var queues = ChannelQueues()
        queues.addCall(.init(user: cached.name, device: DeviceKey(1)), to: channel)
        #expect(queues.ids == [channel])
        #expect(queues.waitingCalls == [0])
        queues.add(ticket(2), to: channel, .mention)
        #expect(queues.nextCall(at: 0)?.device == DeviceKey(1))
        #expect(queues.nextCall(at: 0) == nil)
        #expect(queues.waitingCalls.isEmpty)
        #expect(next(&queues, channel)?.device == DeviceKey(2))
    }

    @Test func `a halted channel keeps its queue and stops no other`() {
        var queues = ChannelQueues()
        let other = ChannelID(tenant: TenantKey(2), transport: .fcm, environment: .production)
        queues.setWindow(channel, 0, reason: "no_credential")
        queues.add(ticket(1), to: channel, .direct)
        queues.add(ticket(2), to: other, .direct)
        #expect(next(&queues, channel) == nil)
        #expect(next(&queues, other) != nil)
        queues.setWindow(channel, 1, reason: "")
        #expect(next(&queues, channel)?.device == DeviceKey(1))
    }

    @Test func `timers come out in order of time, as many as asked for`() {
        var timers = ShardTimers()
        let times: [Int64] = [50, 10, 40, 20, 30, 10]
        for time in times {
            timers.add(
                UserName(tenant: TenantKey(1), user: UserID("u\(time)")), at: Instant(milliseconds: time))
        }
        #expect(timers.next == Instant(milliseconds: 10))
        let due = timers.due(at: Instant(milliseconds: 40), limit: 4)
        #expect(due.map(\.user.text) == ["u10", "u10", "u20", "u30"])
        #expect(timers.next == Instant(milliseconds: 40))
        #expect(timers.due(at: Instant(milliseconds: 100), limit: 9).count == 2)
    }

    @Test func `an inbox wakes its shard once, and cuts batches by weight`() {
        let inbox = ShardInbox()
        #expect(inbox.append([.timePassed([]), .readBack([])]))
        #expect(!inbox.append([.pollWakes]))
        #expect(inbox.take(weight: 1).count == 3)
        #expect(inbox.take(weight: 1).isEmpty)
        #expect(inbox.append([.pollWakes]))
    }

    @Test func `an inbox that is full refuses more, but never an empty one`() {
        let inbox = ShardInbox()
        #expect(inbox.hasRoom(for: 10 * ShardInbox.limit))
        for _ in 0..<ShardInbox.limit { _ = inbox.append([.pollWakes]) }
        #expect(!inbox.hasRoom(for: 1))
    }
}
