import Wire

/// The `notification` of a message: checked, then kept as it came.
enum NotificationReader {
    static let maximumBytes = 65_536
    static let maximumTextBytes = 16_384
    static let maximumURLBytes = 2_048
    static let maximumArguments = 32
    /// What of a push cannot be shortened: the provider's 4,096 bytes without the frame around it.
    static let maximumUncuttableBytes = 3_500

    /// The object's own text, once every member is known to be good.
    static func check(_ node: JSONNode) throws(Problem) -> [UInt8] {
        let bytes = try node.object("notification").rawBytes
        guard bytes.count <= maximumBytes else {
            throw Problem(.payloadTooLarge, "notification is longer than \(maximumBytes) bytes.")
        }
        var uncuttable = 0
        for (key, value) in node.fields {
            guard let value = value.present else {
                try checkKnown(key)
                continue
            }
            try check(key, value)
            if !isCuttable(key) { uncuttable += value.rawBytes.count }
        }
        guard uncuttable <= maximumUncuttableBytes else {
            throw Problem(
                .dataTooLarge,
                "notification.data and the other members that cannot be cut are longer than "
                    + "\(maximumUncuttableBytes) bytes.")
        }
        return Array(bytes)
    }

    private static func isCuttable(_ key: JSONKey) -> Bool {
        switch key {
        case "title", "body": true
        default: false
        }
    }

    private static func check(_ key: JSONKey, _ value: JSONNode) throws(Problem) {
        switch key {
        case "title": try value.checkText("notification.title", upTo: maximumTextBytes)
        case "body": try value.checkText("notification.body", upTo: maximumTextBytes)
        case "title_loc_key": try value.checkText("notification.title_loc_key", upTo: 256)
        case "body_loc_key": try value.checkText("notification.body_loc_key", upTo: 256)
        case "title_loc_args": try checkArguments(value, "notification.title_loc_args")
        case "body_loc_args": try checkArguments(value, "notification.body_loc_args")
        case "sound": try value.checkText("notification.sound", upTo: 256)
        case "category": try value.checkText("notification.category", upTo: 256)
        case "image_url": try checkURL(value)
        case "wake": _ = try value.flag("notification.wake")
        case "data": _ = try value.object("notification.data")
        default: throw .unknownField("notification.\(key.text)")
        }
    }

    private static func checkKnown(_ key: JSONKey) throws(Problem) {
        switch key {
        case "title", "body", "title_loc_key", "body_loc_key", "title_loc_args", "body_loc_args", "sound",
            "category", "image_url", "wake", "data":
            return
        default: throw .unknownField("notification.\(key.text)")
        }
    }

    private static func checkArguments(_ value: JSONNode, _ path: StaticString) throws(Problem) {
        var count = 0
        for argument in try value.list(path) {
            guard argument.kind == .string else { throw .wrongType(path, "an array of strings") }
            count += 1
        }
        guard count <= maximumArguments else { throw .invalid(path, "may have up to \(maximumArguments)") }
    }

    private static func checkURL(_ value: JSONNode) throws(Problem) {
        let text = try value.text("notification.image_url", upTo: maximumURLBytes)
        let bytes = Array(text.utf8)
        let scheme = "https://"
        let isPrintable = bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isPrintable, text.lowercased().hasPrefix(scheme), bytes.count > scheme.utf8.count,
            bytes[scheme.utf8.count] != UInt8(ascii: "/")
        else { throw .invalid("notification.image_url", "must be an https URL") }
    }
}
