import Domain
import Testing

@testable import Providers

struct ChannelGateTests {
    private let start = Instant(milliseconds: 1_000_000)

    private func opened() -> ChannelGate {
        var gate = ChannelGate()
        gate.credentialArrived()
        return gate
    }

    @Test func `without a credential it is closed`() {
        #expect(ChannelGate().state == .closed)
        #expect(opened().isOpen)
    }

    @Test func `pauses double up to the longest and an accepted push begins anew`() {
        var gate = opened()
        var now = start
        var waits: [Int64] = []
        for _ in 1...7 {
            gate.pause(milliseconds: nil, reason: "status_503", at: now, jitter: 0.999_999)
            let until = gate.reopensAt ?? now
            waits.append(until - now)
            now = until
            let hasOpened = gate.tick(at: now)
            #expect(hasOpened)
        }
        #expect(waits == [999, 1_999, 3_999, 7_999, 15_999, 29_999, 29_999])
        gate.accepted()
        gate.pause(milliseconds: nil, reason: "status_503", at: now, jitter: 0)
        #expect(gate.reopensAt == now + 500)
    }

    @Test func `what the provider asked for is never shortened`() {
        var gate = opened()
        gate.pause(milliseconds: 7_000, reason: "r", at: start, jitter: 0)
        #expect(gate.reopensAt == start + 7_000)
        let hasOpenedEarly = gate.tick(at: start + 6_999)
        #expect(!hasOpenedEarly)
        let hasOpened = gate.tick(at: start + 7_000)
        #expect(hasOpened)
    }

    @Test func `answers during a pause prolong it and are no further fault`() {
        var gate = opened()
        gate.pause(milliseconds: nil, reason: "r", at: start, jitter: 0)
        let until = gate.reopensAt
        gate.pause(milliseconds: nil, reason: "r", at: start + 1, jitter: 0)
        #expect(gate.reopensAt == until)
        #expect(gate.faults == 1)
        gate.pause(milliseconds: 9_000, reason: "r", at: start + 1, jitter: 0)
        #expect(gate.reopensAt == start + 9_001)
    }

    @Test func `an accepted push that left before does not end a pause`() {
        var gate = opened()
        gate.pause(milliseconds: nil, reason: "r", at: start, jitter: 0)
        gate.accepted()
        #expect(!gate.isOpen)
        #expect(gate.faults == 1)
    }

    @Test func `after a pause it is on probation until a push is accepted`() {
        var gate = opened()
        gate.pause(milliseconds: 1, reason: "r", at: start, jitter: 0)
        let hasOpened = gate.tick(at: start + 1)
        #expect(hasOpened)
        #expect(gate.isOnProbation)
        gate.accepted()
        #expect(!gate.isOnProbation)
    }

    @Test func `a halt is ended by a new credential and by nothing shorter`() {
        var gate = opened()
        gate.halt(reason: "InvalidProviderToken", at: start, jitter: 0)
        #expect(gate.reopensAt == start + 30_000)
        gate.pause(milliseconds: 1, reason: "r", at: start, jitter: 0)
        #expect(gate.reason == "InvalidProviderToken")
        gate.credentialArrived()
        #expect(gate.isOpen && gate.faults == 0)
    }

    @Test func `a credential that leaves closes it with the reason`() {
        var gate = opened()
        gate.credentialLeft(reason: "no_credential")
        #expect(gate.state == .closed)
        #expect(gate.reason == "no_credential")
        let hasOpened = gate.tick(at: start)
        #expect(!hasOpened)
    }
}
