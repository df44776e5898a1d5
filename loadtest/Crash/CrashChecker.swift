/// What must hold of a user after any number of crashes; each finding is one sentence.
enum CrashChecker {
    static func violations(of user: UserEvidence) -> [String] {
        (mailbox(user) + badge(user) + pushes(user)).map { "\(user.user): \($0)" }
    }

    // MARK: The mailbox

    private static func mailbox(_ user: UserEvidence) -> [String] {
        var found: [String] = []
        var counts: [String: Int] = [:]
        for entry in user.entries { if let id = entry.messageID { counts[id, default: 0] += 1 } }
        for id in user.acknowledged.sorted() where counts[id] == nil {
            found.append("\(id) was acknowledged and is not in the mailbox")
        }
        for (id, count) in counts.sorted(by: { $0.key < $1.key }) {
            if count > 1 { found.append("\(id) is \(count) times in the mailbox") }
            if !user.sent.contains(id) { found.append("\(id) is in the mailbox and was never sent") }
        }
        for (index, entry) in user.entries.enumerated() where entry.seq != Int64(index) + 1 {
            found.append("entry \(index + 1) has the seq \(entry.seq)")
            break
        }
        if user.head != Int64(user.entries.count) {
            found.append("the head is \(user.head), the entries are \(user.entries.count)")
        }
        return found
    }

    private static func badge(_ user: UserEvidence) -> [String] {
        let unread = Int64(user.entries.count { $0.messageID != nil && $0.countsUnread })
        return [("the badge call", user.badgeUnread), ("the mailbox's badge", user.mailboxUnread)]
            .filter { $0.1 != unread }.map { "\($0.0) says \($0.1), unread are \(unread)" }
    }

    // MARK: Pushes

    private static func pushes(_ user: UserEvidence) -> [String] {
        var found: [String] = []
        let accepted = user.pushes.filter { $0.status == 200 }
        let pushed = Dictionary(grouping: accepted, by: \.messageID)
        let seqs = Dictionary(
            user.entries.compactMap { entry in entry.messageID.map { ($0, entry.seq) } },
            uniquingKeysWith: { first, _ in first })
        for (id, seq) in seqs.sorted(by: { $0.value < $1.value }) where pushed[id] == nil {
            found.append("\(id) (seq \(seq)) never reached the provider")
        }
        for (id, requests) in pushed.sorted(by: { $0.key < $1.key }) {
            let names = Set(requests.map(\.apnsID))
            if names.count > 1 || names.contains("") {
                found.append("\(id) went out under \(names.count) apns-ids in \(requests.count) requests")
            }
            guard let seq = seqs[id] else {
                found.append("\(id) was pushed and is not in the mailbox")
                continue
            }
            if let wrong = requests.first(where: { $0.mailboxSeq != seq }) {
                found.append("\(id) was pushed as seq \(wrong.mailboxSeq), its entry has \(seq)")
            }
        }
        return found + sharedNames(accepted)
    }

    private static func sharedNames(_ pushes: [ReceivedPush]) -> [String] {
        Dictionary(grouping: pushes, by: \.apnsID).compactMap { id, requests in
            let messages = Set(requests.map(\.messageID))
            return messages.count > 1 ? "\(messages.count) messages share the apns-id \(id)" : nil
        }.sorted()
    }
}
