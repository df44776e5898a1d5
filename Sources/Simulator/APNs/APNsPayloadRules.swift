import Wire

/// Whether a payload is what its push type announces.
///
/// Apple answers 200 to most of these and then drops the push, or shows something odd; the
/// simulator refuses them aloud, with a word that is not Apple's.
enum APNsPayloadRules {
    static let fault = "BadPayload"
    private static let levels: Set<String> = ["passive", "active", "time-sensitive", "critical"]
    private static let textKeys: Set<String> = [
        "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key", "launch-image",
    ]
    private static let argumentKeys: Set<String> = ["title-loc-args", "subtitle-loc-args", "loc-args"]

    /// Whether the body fits a push of that type.
    static func allow(_ body: [UInt8], pushType: String) -> Bool {
        guard let root = (try? JSONDocument(parsing: body))?.root, let aps = root["aps"],
            aps.kind == .object, aps.members.allSatisfy({ isWellFormed($0.key, $0.value) })
        else { return false }
        let isSeen = ["alert", "badge", "sound"].contains { aps[$0] != nil }
        switch pushType {
        case "background": return !isSeen && aps["content-available"] != nil
        case "alert": return isSeen
        default: return true
        }
    }

    private static func isWellFormed(_ key: String, _ value: JSONNode) -> Bool {
        switch key {
        case "alert": value.string != nil || isAlert(value)
        case "badge": (value.integer ?? -1) >= 0
        case "sound": value.string != nil || value.kind == .object
        case "thread-id", "category", "target-content-id": value.string != nil
        case "content-available", "mutable-content": value.integer == 1
        case "interruption-level": value.string.map(levels.contains) ?? false
        default: true
        }
    }

    private static func isAlert(_ alert: JSONNode) -> Bool {
        guard alert.kind == .object else { return false }
        return alert.members.allSatisfy { key, value in
            if textKeys.contains(key) { return value.string != nil }
            guard argumentKeys.contains(key) else { return false }
            return value.kind == .array && value.elements.allSatisfy { $0.string != nil }
        }
    }
}
