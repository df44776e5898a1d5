import Wire

/// A message as a backend sends it, for cases whose messages differ.
struct MessageDraft: Equatable, Sendable {
    /// Its id's number.
    var number: Int
    var conversation: String
    var isGroup = false
    /// Of the group, where it is told.
    var memberCount: Int?
    /// A user of the run that sends it; nil: somebody who is none.
    var sender: Int?
    /// Users, by their numbers.
    var recipients: [Int]
    var mentions: [Int] = []
    var mentionsAll = false
    var countsUnread = true
    var push = true

    init(_ number: Int, _ conversation: String, to recipients: [Int]) {
        self.number = number
        self.conversation = conversation
        self.recipients = recipients
    }

    var id: String { RequestTemplate.messageID(number) }

    var body: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("message_id", id)
        writer.key("conversation")
        writer.beginObject()
        writer.member("id", conversation)
        writer.member("kind", isGroup ? "group" : "direct")
        if isGroup { writer.member("name", "Group \(conversation)") }
        if let memberCount { writer.member("member_count", memberCount) }
        writer.endObject()
        writer.key("sender")
        writer.beginObject()
        writer.member("user", sender.map { LoadTenant.user($0) } ?? "alice")
        writer.member("name", "Alice")
        writer.endObject()
        writeUsers("recipients", recipients, to: &writer)
        if mentionsAll || !mentions.isEmpty {
            writer.key("mentions")
            writer.beginObject()
            writeUsers("users", mentions, to: &writer)
            writer.member("all", mentionsAll)
            writer.endObject()
        }
        writer.member("notification", raw: Array(#"{"body":"Message \#(number)","sound":"default"}"#.utf8))
        writer.member("payload", raw: Array(#"{"text":"Message \#(number)"}"#.utf8))
        writer.member("counts_unread", countsUnread)
        writer.member("push", push)
        writer.endObject()
        return writer.bytes
    }

    private func writeUsers(_ key: StaticString, _ users: [Int], to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for user in users { writer.string(LoadTenant.user(user)) }
        writer.endArray()
    }
}
