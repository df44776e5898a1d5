import Wire

/// What the devices call says of a user's tablet.
struct DeviceStatus: Equatable, Sendable {
    let isWakeable: Bool
    let transports: [String]
    let appliedSeq: Int64

    init(isWakeable: Bool, transports: [String], appliedSeq: Int64) {
        self.isWakeable = isWakeable
        self.transports = transports
        self.appliedSeq = appliedSeq
    }

    /// Nil if the user has no such device.
    init?(_ answer: JSONNode) {
        guard
            let device = answer["devices"]?.elements.first(where: {
                $0["device"]?.string == LoadTenant.device
            }), let isWakeable = device["wakeable"]?.bool
        else { return nil }
        self.init(
            isWakeable: isWakeable,
            transports: device["transports"].map { $0.elements.compactMap(\.string) } ?? [],
            appliedSeq: device["applied_seq"]?.integer ?? 0)
    }
}

/// A mailbox as it is read by `GET /v1/mailbox`, page after page.
struct MailboxReading: Equatable, Sendable {
    var entries: [ServerFrame.Entry] = []
    var head: Int64 = 0
    var pages = 0
    /// What a page must not say, in words.
    var faults: [String] = []

    /// Takes a page that was asked for with a limit; true if there is another.
    mutating func take(_ page: JSONNode, limit: Int) -> Bool {
        let new = page["entries"].map { $0.elements.compactMap { ServerFrame.Entry($0) } } ?? []
        pages += 1
        head = page["mailbox_seq"]?.integer ?? -1
        entries += new
        let hasMore = page["has_more"]?.bool == true
        if new.count > limit {
            faults.append("page \(pages) has \(new.count) entries, the limit is \(limit)")
        }
        if hasMore, new.count < limit {
            faults.append("page \(pages) has \(new.count) entries of \(limit), and says there are more")
        }
        if page["truncated"]?.bool == true { faults.append("page \(pages) is truncated") }
        return hasMore && !new.isEmpty
    }
}

extension CaseTarget {
    /// Reads so many users' mailboxes from their beginning, all at once, by pages.
    func mailboxes(of users: Range<Int>, limit: Int) async throws(LoadtestFailure) -> [MailboxReading] {
        var readings = Array(repeating: MailboxReading(), count: users.count)
        var open = Array(0..<users.count)
        while !open.isEmpty {
            let (tenant, address) = (tenant, server.publicAddress)
            let asked = open.map { (user: users.lowerBound + $0, after: readings[$0].entries.last?.seq ?? 0) }
            let pages = try await RequestBatch.json(asked.count, to: address, on: loop) { index in
                HTTPRequestEncoder.bytes(
                    .get, "/v1/mailbox?after=\(asked[index].after)&limit=\(limit)", host: address,
                    bearer: try tenant.credential(of: asked[index].user))
            }
            open = zip(open, pages).filter { readings[$0].take($1, limit: limit) }.map(\.0)
        }
        return readings
    }
}
