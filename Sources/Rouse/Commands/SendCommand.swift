import Wire

extension Commands {
    /// `rouse send --to bob "hello"`.
    static let send = Command(
        name: "send", operands: .optional("TEXT"), summary: "Send a message as a backend would",
        options: [
            .values("to", "USER", "A recipient; repeat it for several"),
            .value("from", "USER", "The sender (alice)"),
            .value("from-name", "TEXT", "The sender's name as people see it (the sender)"),
            .value("conversation", "ID", "The conversation (a direct one of sender and first recipient)"),
            .flag("group", "The conversation is a group"),
            .values("mention", "USER", "Mention a user; `all` mentions everyone"),
            .value("title", "TEXT", "The notification's title"),
            .value("payload", "JSON", "For connected devices and sync"),
            .value("id", "ID", "The message's id (a random one); repeating an id is safe"),
            .value("expires-in", "SECONDS", "No push after this time"),
            .flag("no-push", "Only for the mailbox"),
            ClientSettings.jsonOption, ClientSettings.serverOption, ClientSettings.apiKeyOption,
            ClientSettings.clientOption, ClientSettings.caOption,
        ],
        run: { arguments, terminal in
            let draft = try MessageDraft(arguments)
            let client = try ClientSettings(arguments).backend()
            let answer = try await client.json(.post, "/v1/messages", draft.bytes)
            if arguments.has("json") { return terminal.out(String(decoding: answer.rawBytes, as: UTF8.self)) }
            terminal.out(draft.told(answer))
        })
}

/// A message of the command line.
struct MessageDraft: Equatable {
    let id: String
    let text: String?
    let recipients: [String]
    let sender: String
    let senderName: String
    let conversation: String
    let isGroup: Bool
    let mentions: [String]
    let title: String?
    let payload: [UInt8]?
    let expiresIn: Int64?
    let pushes: Bool

    init(_ arguments: Arguments) throws {
        recipients = arguments.all("to")
        guard let first = recipients.first else { throw arguments.problem("option --to is missing") }
        text = arguments.operands.first
        sender = arguments["from"] ?? "alice"
        senderName = arguments["from-name"] ?? sender
        isGroup = arguments.has("group")
        conversation =
            arguments["conversation"]
            ?? (isGroup ? "group" : [sender, first].sorted().joined(separator: "-"))
        mentions = arguments.all("mention")
        title = arguments["title"]
        id = arguments["id"] ?? "m-" + Hex.encode(SecureRandom.bytes(count: 8))
        pushes = !arguments.has("no-push")
        expiresIn =
            arguments.has("expires-in")
            ? Int64(try arguments.number("expires-in", in: 1...2_592_000, default: 0)) : nil
        payload = try arguments["payload"].map { text in
            guard (try? JSONDocument(parsing: Array(text.utf8))) != nil else {
                throw arguments.problem("option --payload needs JSON")
            }
            return Array(text.utf8)
        }
    }

    /// The body of `POST /v1/messages`.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("message_id", id)
        writer.key("conversation")
        writer.beginObject()
        writer.member("id", conversation)
        writer.member("kind", isGroup ? "group" : "direct")
        writer.endObject()
        writer.key("sender")
        writer.beginObject()
        writer.member("user", sender)
        writer.member("name", senderName)
        writer.endObject()
        write(recipients, "recipients", to: &writer)
        writeMentions(to: &writer)
        writeNotification(to: &writer)
        if let payload { writer.member("payload", raw: payload) }
        if !pushes { writer.member("push", false) }
        if let expiresIn { writer.member("expires_in_s", expiresIn) }
        writer.endObject()
        return writer.bytes
    }

    private func write(_ texts: [String], _ key: StaticString, to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
    }

    private func writeMentions(to writer: inout JSONWriter) {
        guard !mentions.isEmpty else { return }
        writer.key("mentions")
        writer.beginObject()
        write(mentions.filter { $0 != "all" }, "users", to: &writer)
        writer.member("all", mentions.contains("all"))
        writer.endObject()
    }

    private func writeNotification(to writer: inout JSONWriter) {
        guard text != nil || title != nil else { return }
        writer.key("notification")
        writer.beginObject()
        writer.member("title", ifPresent: title)
        writer.member("body", ifPresent: text)
        writer.endObject()
    }

    /// The answer in words.
    func told(_ answer: JSONNode) -> String {
        if answer["duplicate"]?.bool == true { return "message \(id): known already, nothing was new" }
        let recipients = answer["recipients"]?.integer ?? 0
        let tasks = answer["tasks"]?.integer ?? 0
        return "message \(id): in \(count(recipients, "mailbox", "mailboxes")), "
            + count(tasks, "push task", "push tasks")
    }

    private func count(_ number: Int64, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
