import Domain
import Engine
import Gateway
import Wire

/// `/v1/mailbox`: the log for a device that is not connected, and its evidence.
struct MailboxResource: Sendable {
    static let maximumLimit: Int64 = 200
    private static let defaultLimit: Int64 = 100

    let engine: Engine

    var routes: [Route] {
        [
            Route(
                .get, "/v1/mailbox", "A page of the mailbox.", query: ["after", "limit"],
                [Route.Outcome(200, "MailboxPage")],
                .device { call, identity, answer throws(Problem) in
                    let after = try call.whole(query: "after", "?after", 0...Int64.max) ?? 0
                    let limit = try call.whole(query: "limit", "?limit", 1...Self.maximumLimit)
                    engine.mailbox(
                        identity.userName, after: after, limit: Int(limit ?? Self.defaultLimit),
                        as: identity.caller
                    ) { result in
                        answer.result(result) { page in answer.json { $0.mailboxPage(page) } }
                    }
                }),
            Route(
                .post, "/v1/mailbox/applied", "Everything up to a seq is applied.", body: .json("Applied"),
                [Route.Outcome(204)],
                .device { call, identity, answer throws(Problem) in
                    let body = try AppliedBody(parsing: call.request.body)
                    engine.applied(identity.userName, body.seq, as: identity.caller) { result in
                        answer.result(result) { answer.empty() }
                    }
                }),
        ]
    }
}

extension JSONWriter {
    fileprivate mutating func mailboxPage(_ page: MailboxPage) {
        beginObject()
        member("mailbox_id", page.mailboxID.text)
        key("entries")
        beginArray()
        for entry in page.entries { EntryEncoding.append(entry, to: &self) }
        endArray()
        member("mailbox_seq", page.mailboxSeq)
        member("first_mailbox_seq", page.firstSeq)
        member("has_more", page.hasMore)
        member("truncated", page.isTruncated)
        key("badge")
        badgeObject(page.badge)
        endObject()
    }
}
