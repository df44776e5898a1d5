import Domain
import Testing

@testable import Engine

/// One installation, several accounts, one token.
@Suite struct SharedTokenTests {
    /// Whether bob's push of a message says that the token is shared; it is then off the device's hands.
    private func isShared(_ live: LiveEngine, _ message: String) async throws -> Bool {
        let before = await live.sender.requests(0).count
        await live.send(message, to: "bob")
        let request = try #require(await live.sender.requests(before + 1).last)
        let answer = ProviderAnswer(status: 200, reason: "")
        live.engine.report([PushReport(request: request.id, verdict: .accepted, answer: answer)])
        #expect(try await live.states("bob").isEmpty)
        return request.draft.isTokenShared
    }

    @Test func `a token is shared from the second account's registration to its end`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("bob", "phone", token: "t")
        #expect(try await !isShared(live, "m-1"))
        try await live.register("carol", "phone", token: "t", accounts: [UserID("bob")])
        #expect(try await isShared(live, "m-2"))
        try await live.signOut("carol", "phone")
        #expect(try await !isShared(live, "m-3"))
    }

    @Test func `who registers second is told at once and both after a crash`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("carol", "phone", token: "t")
        try await live.register("bob", "phone", token: "t", accounts: [UserID("carol")])
        #expect(try await isShared(live, "m-1"))
        await live.start()
        #expect(try await isShared(live, "m-2"))
        // The other account gets another token; this one is bob's alone.
        try await live.register("carol", "phone", token: "u", accounts: [UserID("bob")])
        #expect(try await !isShared(live, "m-3"))
    }

    @Test func `a token that moves away is nobody else's`() async throws {
        let live = try await LiveEngine(ShardFixture())
        try await live.register("carol", "phone", token: "t")
        try await live.register("bob", "phone", token: "t")
        #expect(try await !isShared(live, "m-1"))
    }
}
