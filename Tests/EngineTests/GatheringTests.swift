import Domain
import Testing

@testable import Engine

@Suite struct GatheringTests {
    private let name = UserName(tenant: TenantKey(1), user: UserID("u"))
    private let now = Instant(milliseconds: 1_000)

    private func call() -> ShardEvent { .look(name, .badge { _ in }) }
    private var evidence: ShardEvent { .pushed(name, ConnectionID(1), through: 1) }

    private func calls(_ count: Int) -> [ShardEvent] { (0..<count).map { _ in call() } }

    @Test func `the next batch waits for as many as were under way, and for few not at all`() {
        #expect(Gathering(after: calls(5), and: 2, at: now) == nil)
        #expect(Gathering(after: calls(5) + [evidence], and: 2, at: now) == nil)
        #expect(Gathering(after: calls(5), and: 3, at: now)?.calls == 8)
        #expect(Gathering(after: calls(70), and: 70, at: now)?.calls == Gathering.most)
    }

    @Test func `it waits for a moment only`() throws {
        let gathering = try #require(Gathering(after: calls(20), and: 0, at: now))
        #expect(gathering.goesOn(at: now))
        #expect(!gathering.goesOn(at: now + Gathering.milliseconds))
    }

    @Test func `a shard that gathers is woken by the last caller it waits for, and not by evidence`() {
        let inbox = ShardInbox()
        #expect(inbox.append(call()))
        #expect(inbox.gathers(upTo: 3))
        #expect(!inbox.append([evidence, evidence, evidence]))
        #expect(!inbox.append(call()))
        #expect(inbox.append(call()))
        #expect(!inbox.append(call()))
        #expect(!inbox.gathers(upTo: 3))
        #expect(inbox.take(weight: 2_000).count == 7)
        #expect(inbox.calls == 0)
    }

    @Test func `a shard that waits no longer is woken by anything`() {
        let inbox = ShardInbox()
        #expect(inbox.gathers(upTo: 8))
        #expect(inbox.take(weight: 2_000).isEmpty)
        #expect(inbox.append(evidence))
    }

    @Test func `callers that are turned away are not counted any more`() {
        let inbox = ShardInbox()
        _ = inbox.append(calls(3) + [evidence])
        #expect(inbox.takeRepeatable(sleeping: true).count == 3)
        #expect(inbox.calls == 0)
        #expect(inbox.append(call()))
        #expect(inbox.calls == 1)
    }

    @Test func `what is left of a batch that was cut still counts`() {
        let inbox = ShardInbox()
        _ = inbox.append(calls(5))
        #expect(inbox.take(weight: 2).count == 2)
        #expect(inbox.calls == 3)
    }
}
