import Glibc
import Testing
import Wire

@testable import Rouse

/// The database ends under a running server and comes back.
@Suite(.wholeServer) struct DatabaseLossTests {
    @Test func `while the database is away a message is refused and a repeat is safe afterwards`()
        async throws
    {
        let whole = try WholeServer.running()
        let tablet = "ab00000000000001"
        // However many are accepted before the loss is noticed, the refused one is not over a limit.
        let limits =
            #"{"policy":{"push_rate_per_user_per_min":1000,"push_rate_per_conversation_per_min":1000}}"#
        _ = try await whole.admin.json(.patch, "/admin/tenants/demo", Array(limits.utf8))
        try await whole.register("tablet", of: "ida", apnsToken: tablet)
        _ = try await whole.send("loss-before", to: "ida")
        #expect(kill(try postmaster(whole), SIGKILL) == 0)

        // A session may serve a last message before it notices that its server is gone.
        var accepted = ["loss-before"]
        let (refused, answer) = try await Patience.until("a refusal") { () -> (String, HTTPResponse)? in
            let id = "loss-\(accepted.count)"
            let answer = try await whole.backend.call(.post, "/v1/messages", try draft(id).bytes)
            if answer.status == 202 { accepted.append(id) }
            return answer.status == 202 ? nil : (id, answer)
        }
        #expect(answer.status == 503)
        #expect(answer.headers["Retry-After"] != nil)

        _ = try await Patience.until("readiness without a restart") {
            try await whole.admin.call(.get, "/readyz").status == 200 ? true : nil
        }
        #expect(try await whole.send(refused, to: "ida")["recipients"]?.integer == 1)
        #expect(try await whole.send(refused, to: "ida")["duplicate"]?.bool == true)
        let badge = try await whole.backend.json(.get, "/v1/users/ida/badge")
        #expect(badge["total_unread"]?.integer == Int64(accepted.count + 1))
        _ = try await whole.waitForState("notified", of: "tablet", refused, "ida")
    }

    private func draft(_ id: String) throws -> MessageDraft {
        try MessageDraft(Arguments(["--to", "ida", "--id", id, "hello"], of: Commands.send))
    }
}

/// The database stands still under a running server for longer than its lease, and goes on.
@Suite(.wholeServerOnShortLease) struct DatabaseHangTests {
    @Test func `while the database hangs a message is answered 503, and nothing waits for it to wake up`()
        async throws
    {
        let whole = try WholeServer.running()
        let tablet = "ab00000000000002"
        try await owned { try await whole.register("tablet", of: "ina", apnsToken: tablet) }
        _ = try await owned { try await whole.send("hang-before", to: "ina") }
        _ = try await owned {
            try await whole.waitForState("notified", of: "tablet", "hang-before", "ina")
        }
        let frozen = try cluster(whole)
        #expect(frozen.count > 2)
        for process in frozen { #expect(kill(process, SIGSTOP) == 0) }
        // The answer comes while the database stands still: the lease's clock has given it.
        let words = ["--to", "ina", "--id", "hang-1", "hello"]
        let draft = try MessageDraft(Arguments(words, of: Commands.send))
        let answer = try? await whole.backend.call(.post, "/v1/messages", draft.bytes)
        for process in frozen { #expect(kill(process, SIGCONT) == 0) }
        #expect(answer?.status == 503)
        #expect(answer?.headers["Retry-After"] != nil)

        _ = try await Patience.until("readiness without a restart") {
            try await whole.admin.call(.get, "/readyz").status == 200 ? true : nil
        }
        _ = try await owned { try await whole.send("hang-1", to: "ina") }
        let again = try await owned { try await whole.send("hang-1", to: "ina") }
        #expect(again["duplicate"]?.bool == true)
        let badge = try await owned { try await whole.backend.json(.get, "/v1/users/ina/badge") }
        #expect(badge["total_unread"]?.integer == 2)
        _ = try await owned { try await whole.waitForState("notified", of: "tablet", "hang-1", "ina") }
    }

    /// A slow machine may lose the short lease at any time, and takes it again: who hears 503 asks again.
    private func owned<Value>(_ call: () async throws -> Value) async throws -> Value {
        try await Patience.until("an owner") {
            do { return try await call() } catch let failure as CommandFailure {
                guard failure.problem.hasPrefix("the server answers 503") else { throw failure }
                return nil
            }
        }
    }

    /// The postmaster and all its children.
    private func cluster(_ whole: WholeServer) throws -> [pid_t] {
        let postmaster = try postmaster(whole)
        let children = try LocalFile.readText("/proc/\(postmaster)/task/\(postmaster)/children")
        return [postmaster] + children.split(separator: " ").compactMap { pid_t($0) }
    }
}

private func postmaster(_ whole: WholeServer) throws -> pid_t {
    let text = try LocalFile.readText("\(whole.directory)/postgres/postmaster.pid")
    return try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
}
