import Wire

/// The checks of FCM: access token, target, data, times and size.
enum FCMRules {
    private static let maximumByteCount = 4_096

    static func fault(
        _ fields: RequestFields, _ body: [UInt8], _ state: SimulatorState, at now: Int64
    ) -> FCMError? {
        guard fields.path.text.hasSuffix("/messages:send") else {
            return FCMError(status: 404, canonical: "NOT_FOUND", code: nil, message: "Not found.")
        }
        guard fields.method.text == "POST", let authorization = fields.authorization?.text,
            authorization.hasPrefix("Bearer "),
            state.isAccessTokenValid(String(authorization.dropFirst("Bearer ".count)), at: now)
        else {
            return FCMError(
                status: 401, canonical: "UNAUTHENTICATED", code: nil,
                message: "Request had invalid authentication credentials.")
        }
        guard let message = (try? JSONDocument(parsing: body))?.root["message"], message.kind == .object
        else {
            return .invalid("message", "Invalid JSON payload received.")
        }
        return fault(message)
    }

    private static func fault(_ message: JSONNode) -> FCMError? {
        guard let token = message["token"]?.string, !token.isEmpty else {
            return .invalid("message", "Exactly one target must be given.")
        }
        var byteCount = 0
        for (key, value) in members(message["data"]) {
            guard let text = value.string else {
                return .invalid("message.data[0].value", "Data values must be strings.")
            }
            if isReserved(key) { return .invalid("message.data", "Reserved key.") }
            byteCount += key.utf8.count + text.utf8.count
        }
        let notification = message["android"]?["notification"]
        for (key, value) in members(notification) {
            byteCount += key.utf8.count + value.rawBytes.count
        }
        guard byteCount <= maximumByteCount else { return .invalid("message", "Message too big.") }
        return fault(android: message["android"])
    }

    private static func fault(android: JSONNode?) -> FCMError? {
        guard let android else { return nil }
        if let priority = android["priority"]?.string, !["HIGH", "NORMAL"].contains(priority) {
            return .invalid("message.android.priority", "Invalid priority.")
        }
        if let ttl = android["ttl"]?.string, !isDuration(ttl) {
            return .invalid("message.android.ttl", "Invalid duration.")
        }
        if let count = android["notification"]?["notification_count"], count.integer == nil {
            return .invalid("message.android.notification.notification_count", "Invalid count.")
        }
        return nil
    }

    private static func members(_ node: JSONNode?) -> [(key: String, value: JSONNode)] {
        node.map { Array($0.members) } ?? []
    }

    private static func isDuration(_ text: String) -> Bool {
        guard text.hasSuffix("s"), let seconds = Double(text.dropLast()) else { return false }
        return (0...2_419_200).contains(seconds)
    }

    private static func isReserved(_ key: String) -> Bool {
        // Google's older pages reserve all that begins with these; so no sender may count on less.
        key == "from" || key == "message_type" || key.hasPrefix("google") || key.hasPrefix("gcm")
    }
}
