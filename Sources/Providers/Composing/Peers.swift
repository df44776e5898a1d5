import Wire

/// What the backend wants handed to its app beside our own keys, in the two spellings of the providers.
package struct Peers: Equatable, Sendable {
    /// JSON members without braces; values as they came.
    package private(set) var verbatim: [UInt8] = []
    /// The same with every value a string, as FCM demands.
    package private(set) var text: [UInt8] = []
    /// The bytes of FCM's keys and values, as it counts them: without quotes and escapes.
    package private(set) var textByteCount = 0

    package init() {}

    /// Reads a JSON object; what is none has no members.
    init(_ object: JSONNode) {
        var verbatim = JSONWriter()
        var text = JSONWriter()
        for (key, value) in object.members {
            if !Self.isReservedByAPNs(key) {
                verbatim.key(escaping: key)
                verbatim.raw(value.rawBytes)
            }
            if !Self.isReservedByFCM(key) {
                let word = value.string ?? String(decoding: value.rawBytes, as: UTF8.self)
                text.key(escaping: key)
                text.string(word)
                textByteCount += key.utf8.count + word.utf8.count
            }
        }
        self.verbatim = verbatim.bytes
        self.text = text.bytes
    }

    /// Reads the text of a JSON object; empty or no JSON (ingest lets neither through) has no members.
    package init(parsing bytes: [UInt8]) {
        self.init()
        guard !bytes.isEmpty, let document = try? JSONDocument(parsing: bytes) else { return }
        self.init(document.root)
    }

    package var isEmpty: Bool { verbatim.isEmpty && text.isEmpty }

    // Names that would overwrite ours or that the provider refuses are left out.

    private static func isReservedByAPNs(_ key: String) -> Bool { key == "aps" || key == "rouse" }

    private static func isReservedByFCM(_ key: String) -> Bool {
        key == "from" || key == "message_type"
            || ["google", "gcm", "rouse_"].contains { key.lowercased().hasPrefix($0) }
    }
}
