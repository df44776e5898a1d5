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
    /// The members of `data`.
    package var peers = Peers()

    package init() {}

    /// Reads the object; bytes that are none (ingest lets nothing else through) are an empty notification.
    package init(parsing bytes: [UInt8]) {
        guard !bytes.isEmpty, let document = try? JSONDocument(parsing: bytes) else { return }
        var titleArguments: [UInt8] = []
        var bodyArguments: [UInt8] = []
        for (key, value) in document.root.members {
            switch key {
            case "title": title = Self.words(value)
            case "body": body = Self.words(value)
            case "title_loc_key": titleKey = Self.words(value).map { LocalisedText(key: $0, arguments: []) }
            case "body_loc_key": bodyKey = Self.words(value).map { LocalisedText(key: $0, arguments: []) }
            case "title_loc_args": titleArguments = Self.arguments(value)
            case "body_loc_args": bodyArguments = Self.arguments(value)
            case "sound": sound = value.isNull ? "" : value.string
            case "category": category = value.string
            case "image_url": imageURL = value.string
            case "data": peers = Peers(value)
            default: break
            }
        }
        titleKey = titleKey.map { LocalisedText(key: $0.key, arguments: titleArguments) }
        bodyKey = bodyKey.map { LocalisedText(key: $0.key, arguments: bodyArguments) }
    }

    /// Empty words are none: a system shows no alert without any.
    private static func words(_ value: JSONNode) -> String? {
        value.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func arguments(_ value: JSONNode) -> [UInt8] {
        value.kind == .array ? Array(value.rawBytes) : []
    }
}
