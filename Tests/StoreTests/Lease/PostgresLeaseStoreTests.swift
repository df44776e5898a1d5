import Engine
import Testing

@testable import EventLoop
@testable import Store

@Suite struct PostgresLeaseStoreTests {
    private func lease() throws -> PostgresLeaseStore {
        PostgresLeaseStore(
            PostgresPool(try TestCluster.freshDatabase(), on: EventLoop(label: "test.lease"), size: 1))
    }

    @Test func `one holds it, another watches its renewals, and the epoch only grows`() async throws {
        let lease = try lease()
        #expect(try await lease.acquire(owner: "a", takeOver: false) == .owned(epoch: 1))
        #expect(try await lease.acquire(owner: "b", takeOver: false) == .held(epoch: 1, renewals: 0))
        #expect(try await lease.renew(owner: "a", epoch: 1))
        #expect(try await lease.acquire(owner: "b", takeOver: false) == .held(epoch: 1, renewals: 1))
        #expect(try await lease.acquire(owner: "b", takeOver: true) == .owned(epoch: 2))
        #expect(try await !lease.renew(owner: "a", epoch: 1))
        #expect(try await lease.acquire(owner: "a", takeOver: false) == .held(epoch: 2, renewals: 0))
    }

    @Test func `a released lease is free, and one's own is taken anew`() async throws {
        let lease = try lease()
        _ = try await lease.acquire(owner: "a", takeOver: false)
        #expect(try await lease.acquire(owner: "a", takeOver: false) == .owned(epoch: 2))
        try await lease.release(owner: "a", epoch: 1)
        #expect(try await lease.acquire(owner: "b", takeOver: false) == .held(epoch: 2, renewals: 0))
        try await lease.release(owner: "a", epoch: 2)
        #expect(try await lease.acquire(owner: "b", takeOver: false) == .owned(epoch: 3))
    }
}
