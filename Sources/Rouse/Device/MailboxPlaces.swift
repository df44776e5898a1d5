import Wire

/// Keeps a device's place in its mailbox between two runs, in one small file.
struct MailboxPlaces: Sendable {
    private let path: String?

    /// - Parameter directory: nil keeps nothing.
    init(directory: String?, user: String, device: String) {
        path = directory.map {
            "\($0)/\(PercentEncoding.encode(user)).\(PercentEncoding.encode(device)).json"
        }
    }

    /// Nil where nothing is kept, or nothing that can be read: the mailbox is then synced from its start.
    func load() -> MailboxPlace? {
        guard let path, let bytes = try? LocalFile.read(path),
            let root = (try? JSONDocument(parsing: bytes))?.root,
            let mailbox = root["mailbox_id"]?.string, let seq = root["applied_seq"]?.integer
        else { return nil }
        return MailboxPlace(mailboxID: mailbox, appliedSeq: seq)
    }

    /// A place that cannot be kept costs a longer sync next time, no more.
    func save(_ place: MailboxPlace) {
        guard let path else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("mailbox_id", place.mailboxID)
        writer.member("applied_seq", place.appliedSeq)
        writer.endObject()
        if let directory = LocalFile.directory(of: path) { try? LocalFile.makeDirectory(directory) }
        try? LocalFile.writePrivately(writer.bytes, to: path)
    }
}
