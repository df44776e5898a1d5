import Wire

/// The checks of APNs that need nothing but the request, in the order of Apple's best-known imitations.
enum APNsRules {
    static let pathPrefix = Array("/3/device/".utf8)
    private static let pushTypes: Set<String> = [
        "alert", "background", "location", "voip", "complication", "fileprovider", "mdm", "liveactivity",
        "pushtotalk", "widgets", "controls",
    ]

    /// The first fault of headers and path.
    static func fault(_ fields: RequestFields) -> String? {
        if fields.hasDuplicates { return "DuplicateHeaders" }
        if let id = fields.apnsID, UUIDBytes(text: id.text) == nil { return "BadMessageId" }
        guard fields.method.text == "POST" else { return "MethodNotAllowed" }
        guard let topic = fields.topic, !topic.isEmpty else { return "MissingTopic" }
        if let id = fields.collapseID, id.count > 64 { return "BadCollapseId" }
        if let fault = priorityFault(fields) { return fault }
        if let expiration = fields.expiration, Int64(expiration.text) == nil { return "BadExpirationDate" }
        if let fault = pushTypeFault(fields, topic: topic.text) { return fault }
        return pathFault(fields.path)
    }

    /// The first fault of the payload.
    static func fault(_ body: [UInt8], _ fields: RequestFields) -> String? {
        guard !body.isEmpty else { return "PayloadEmpty" }
        let isVoIP = fields.pushType?.text == "voip"
        guard body.count <= (isVoIP ? 5_120 : 4_096) else { return "PayloadTooLarge" }
        let type = fields.pushType?.text ?? "alert"
        return APNsPayloadRules.allow(body, pushType: type) ? nil : APNsPayloadRules.fault
    }

    private static func priorityFault(_ fields: RequestFields) -> String? {
        let priority = fields.priority?.text ?? "10"
        guard ["10", "5", "1"].contains(priority) else { return "BadPriority" }
        if fields.pushType?.text == "background" && priority != "5" { return "BadPriority" }
        return nil
    }

    private static func pushTypeFault(_ fields: RequestFields, topic: String) -> String? {
        guard let type = fields.pushType?.text, pushTypes.contains(type) else { return "InvalidPushType" }
        return (type == "voip") == topic.hasSuffix(".voip") ? nil : "BadTopic"
    }

    private static func pathFault(_ path: ArraySlice<UInt8>) -> String? {
        guard path.starts(with: pathPrefix) else { return "BadPath" }
        let token = path.dropFirst(pathPrefix.count)
        guard !token.isEmpty else { return "MissingDeviceToken" }
        return Hex.decode(token) == nil || token.count > 200 ? "BadDeviceToken" : nil
    }
}
