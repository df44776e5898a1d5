import Wire

/// What the backend wants shown: the `notification` object of a message, read once for all its recipients.
package struct NotificationContent: Equatable, Sendable {
    package struct LocalisedText: Equatable, Sendable {
        package let key: String
        /// A JSON array of strings, or empty.
        package let arguments: [UInt8]
    }

    package var title: String?
    package var body: String?
    package var titleKey: LocalisedText?
    package var bodyKey: LocalisedText?
    /// Nil: the default sound; empty: none.
    package var sound: String?
    package var category: String?
    package var imageURL: String?
    /// The members of `data`, spelled as JSON members without braces; values as they came.
    package var peers: [UInt8] = []
    /// The same with every value a string, as FCM demands.
    package var textPeers: [UInt8] = []

    package init() {}

    /// Reads the object; bytes that are none (ingest lets nothing else through) are an empty notification.
    package init(parsing bytes: [UInt8]) {
        guard !bytes.isEmpty, let document = try? JSONDocument(parsing: bytes) else { return }
        var titleArguments: [UInt8] = []
        var bodyArguments: [UInt8] = []
        for (key, value) in document.root.members {
            switch key {
            case "title": title = value.string
            case "body": body = value.string
            case "title_loc_key": titleKey = value.string.map { LocalisedText(key: $0, arguments: []) }
            case "body_loc_key": bodyKey = value.string.map { LocalisedText(key: $0, arguments: []) }
            case "title_loc_args": titleArguments = Self.arguments(value)
            case "body_loc_args": bodyArguments = Self.arguments(value)
            case "sound": sound = value.isNull ? "" : value.string
            case "category": category = value.string
            case "image_url": imageURL = value.string
            case "data": readPeers(value)
            default: break
            }
        }
        titleKey = titleKey.map { LocalisedText(key: $0.key, arguments: titleArguments) }
        bodyKey = bodyKey.map { LocalisedText(key: $0.key, arguments: bodyArguments) }
    }

    private static func arguments(_ value: JSONNode) -> [UInt8] {
        value.kind == .array ? Array(value.rawBytes) : []
    }

    private mutating func readPeers(_ data: JSONNode) {
        var verbatim = JSONWriter()
        var text = JSONWriter()
        for (key, value) in data.members {
            if !ReservedKeys.apns(key) {
                verbatim.key(escaping: key)
                verbatim.raw(value.rawBytes)
            }
            if !ReservedKeys.fcm(key) {
                text.key(escaping: key)
                text.string(value.string ?? String(decoding: value.rawBytes, as: UTF8.self))
            }
        }
        peers = verbatim.bytes
        textPeers = text.bytes
    }
}

/// Names of `data` members that would overwrite ours or that the provider refuses; they are left out.
enum ReservedKeys {
    static func apns(_ key: String) -> Bool { key == "aps" || key == "rouse" }

    static func fcm(_ key: String) -> Bool {
        key == "from" || key == "message_type"
            || ["google", "gcm", "rouse_"].contains { key.lowercased().hasPrefix($0) }
    }
}
