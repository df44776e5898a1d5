import EventLoop
import Synchronization
import Wire

/// Looks at the server as its users' devices would, and at the provider.
struct CrashWitness: Sendable {
    let server: ServerProcess
    let providers: ProviderProcess
    let tenant: LoadTenant
    let users: Int
    let loop: EventLoop
    let collected = PushCollection()
    private static let pageSize = 200

    /// What is to be seen of every user now.
    func look(_ ledger: CrashLedger.Contents) async throws -> [UserEvidence] {
        try await collect()
        return try await look(ledger, collected.byToken)
    }

    /// The same, with the pushes that were collected elsewhere.
    func look(_ ledger: CrashLedger.Contents, _ pushes: [String: [ReceivedPush]]) async throws
        -> [UserEvidence]
    {
        var evidence: [UserEvidence] = []
        for user in 0..<users {
            var seen = try await mailbox(of: user)
            let numbers = stride(from: user, to: ledger.next, by: users)
            seen.sent = Set(numbers.map { RequestTemplate.messageID($0) })
            seen.acknowledged = Set(
                numbers.filter { ledger.acknowledged.contains($0) }.map { RequestTemplate.messageID($0) })
            seen.pushes = pushes[LoadTenant.token(user)] ?? []
            evidence.append(seen)
        }
        return evidence
    }

    /// Waits until the provider has got a push for every message
    /// acknowledged; false if it stops short of that.
    func pushesArrive(_ acknowledged: Set<Int>, withinSeconds limit: Int) async throws -> Bool {
        let awaited = Set(acknowledged.map { RequestTemplate.messageID($0) })
        for _ in 0..<(limit * 10) {
            try await collect()
            if collected.reached(awaited) { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    private func collect() async throws {
        collected.add(try await providers.pushes(after: collected.last))
    }

    private func mailbox(of user: Int) async throws -> UserEvidence {
        let bearer = "Bearer \(try tenant.credential(of: user))"
        var seen = UserEvidence(user: LoadTenant.user(user))
        var hasMore = true
        while hasMore {
            let after = seen.entries.last?.seq ?? 0
            let page = try await WebCall.json(
                .get, "/v1/mailbox?after=\(after)&limit=\(Self.pageSize)", to: server.publicAddress,
                authorization: bearer, on: loop)
            for entry in page["entries"].map({ Array($0.elements) }) ?? [] {
                seen.entries.append(
                    UserEvidence.Entry(
                        seq: entry["mailbox_seq"]?.integer ?? -1, messageID: entry["message_id"]?.string,
                        countsUnread: entry["counts_unread"]?.bool ?? false))
            }
            seen.head = page["mailbox_seq"]?.integer ?? -1
            seen.mailboxUnread = page["badge"]?["total_unread"]?.integer ?? -1
            // A page that brings nothing ends the reading, whatever it says.
            hasMore = page["has_more"]?.bool == true && (seen.entries.last?.seq ?? 0) > after
        }
        let badge = try await WebCall.json(
            .get, "/v1/badge", to: server.publicAddress, authorization: bearer, on: loop)
        seen.badgeUnread = badge["total_unread"]?.integer ?? -1
        return seen
    }
}

/// Every request the provider got, over all rounds.
final class PushCollection: Sendable {
    private struct Contents {
        var last = 0
        var byToken: [String: [ReceivedPush]] = [:]
        var accepted: Set<String> = []
    }

    private let contents = Mutex(Contents())

    /// The sequence number of the newest.
    var last: Int { contents.withLock { $0.last } }
    var byToken: [String: [ReceivedPush]] { contents.withLock { $0.byToken } }

    func add(_ pushes: [ReceivedPush]) {
        contents.withLock { contents in
            for push in pushes where push.sequence > contents.last {
                contents.last = push.sequence
                contents.byToken[push.token, default: []].append(push)
                if push.status == 200 { contents.accepted.insert(push.messageID) }
            }
        }
    }

    /// Whether a push for each of these messages was accepted.
    func reached(_ messages: Set<String>) -> Bool { contents.withLock { messages.isSubset(of: $0.accepted) } }
}
