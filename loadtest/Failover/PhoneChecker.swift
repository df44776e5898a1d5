/// What was seen of a user's connected device over all rounds.
struct PhoneEvidence: Equatable, Sendable {
    /// How a phone behaves.
    enum Manner: String, CaseIterable, Sendable {
        /// It acknowledges with the bytes that bring an entry.
        case applying
        /// It never acknowledges: each of its messages must be pushed.
        case silent
        /// It acknowledges a second and a half late: at any moment something is held.
        case late

        /// Nil for a user without a phone.
        static func of(user: Int) -> Manner? { user % 4 == 0 ? nil : allCases[user % 4 - 1] }
    }

    let user: String
    let manner: Manner
    /// The messages in the mailbox, by seq.
    var entries: [String: Int64] = [:]
    /// What the provider got for the phone.
    var pushes: [ReceivedPush] = []
    /// The highest seq that it acknowledged.
    var appliedSeq: Int64 = 0
    /// The highest seq that it received.
    var lastSeq: Int64 = 0
    /// The head of the mailbox.
    var head: Int64 = 0
    /// Gaps, repeats and disorder that it saw itself.
    var disorder: [String] = []

    init(user: String, manner: Manner) {
        self.user = user
        self.manner = manner
    }
}

/// What must hold of a connected device whose server dies again and again; each finding is one sentence.
enum PhoneChecker {
    static func violations(of phone: PhoneEvidence) -> [String] {
        (told(phone) + named(phone) + phone.disorder + caughtUp(phone)).map { "\(phone.user)'s phone: \($0)" }
    }

    /// Each message is pushed or acknowledged.
    private static func told(_ phone: PhoneEvidence) -> [String] {
        let pushed = Set(phone.pushes.filter { $0.isAcceptedAlert }.map(\.messageID))
        let missed = phone.entries.filter { id, seq in
            !pushed.contains(id) && (phone.manner == .silent || seq > phone.appliedSeq)
        }
        let first = missed.min { $0.value < $1.value }
        return first.map { ["\(missed.count) messages neither applied nor pushed, first \($0.key)"] } ?? []
    }

    /// A message may be asked for again, under its own apns-id and no other's.
    private static func named(_ phone: PhoneEvidence) -> [String] {
        let accepted = phone.pushes.filter { $0.isAcceptedAlert }
        var found: [String] = []
        for (id, requests) in Dictionary(grouping: accepted, by: \.messageID).sorted(by: { $0.key < $1.key })
        {
            let names = Set(requests.map(\.apnsID))
            if names.count > 1 || names.contains("") {
                found.append("\(id) went out under \(names.count) apns-ids")
            }
            if phone.entries[id] == nil { found.append("\(id) was pushed and is not in the mailbox") }
        }
        for (name, requests) in Dictionary(grouping: accepted, by: \.apnsID).sorted(by: { $0.key < $1.key }) {
            let messages = Set(requests.map(\.messageID)).count
            if messages > 1 { found.append("\(messages) messages share the apns-id \(name)") }
        }
        return found
    }

    private static func caughtUp(_ phone: PhoneEvidence) -> [String] {
        phone.lastSeq == phone.head ? [] : ["it has received up to \(phone.lastSeq) of \(phone.head)"]
    }
}

extension ReceivedPush {
    /// What counts as telling a device of a message.
    var isAcceptedAlert: Bool { status == 200 && kind == "alert" }
}
