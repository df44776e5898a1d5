import Wire

/// A push as the simulated providers list it.
struct ReceivedPush: Equatable, Sendable {
    let sequence: Int
    let token: String
    let apnsID: String
    /// `alert`, `cover`, `badge`, `wake`, `call`
    let kind: String
    let messageID: String
    let mailboxSeq: Int64
    /// What the device shows by itself: `aps.badge`, FCM's `notification_count`.
    let badge: Int64?
    let status: Int
    /// Milliseconds since 1970.
    let receivedAt: Int64
    /// The account's number among the `rouse` keys.
    var rouseBadge: Int64?
    var badgeRevision: Int64?
    var conversation = ""
    /// The N of "N new messages".
    var count: Int64?
    /// Of a call.
    var callID = ""
    var form = PushForm()

    init(
        sequence: Int, token: String, apnsID: String, kind: String = "alert", messageID: String,
        mailboxSeq: Int64, badge: Int64?, status: Int = 200, receivedAt: Int64 = 0
    ) {
        self.sequence = sequence
        self.token = token
        self.apnsID = apnsID
        self.kind = kind
        self.messageID = messageID
        self.mailboxSeq = mailboxSeq
        self.badge = badge
        self.status = status
        self.receivedAt = receivedAt
    }

    init(_ node: JSONNode) {
        let rouse = node["payload"]?["rouse"]
        let data = node["payload"]?["message"]?["data"]
        func text(_ key: String) -> String? { rouse?[key]?.string ?? data?["rouse_\(key)"]?.string }
        func number(_ key: String) -> Int64? { rouse?[key]?.integer ?? text(key).flatMap { Int64($0) } }
        self.init(
            sequence: Int(node["sequence"]?.integer ?? 0), token: node["token"]?.string ?? "",
            apnsID: node["apns_id"]?.string ?? "", kind: text("kind") ?? "",
            messageID: text("message_id") ?? "", mailboxSeq: number("mailbox_seq") ?? 0,
            badge: node["badge"]?.integer, status: Int(node["status"]?.integer ?? 0),
            receivedAt: node["received_at"]?.string
                .flatMap { Timestamp.milliseconds(parsing: $0) } ?? 0)
        rouseBadge = number("badge")
        badgeRevision = number("badge_revision")
        conversation = text("conversation_id") ?? ""
        count = number("count")
        callID = text("call_id") ?? ""
        form = PushForm(node)
    }

    var isAccepted: Bool { status == 200 }
}

/// How a push is made, where its provider looks: what decides whether a device rings, shows or stays silent.
struct PushForm: Equatable, Sendable {
    enum Provider: String, Sendable { case apns, fcm }

    var provider = Provider.apns
    /// `apns-push-type`; empty for FCM.
    var pushType = ""
    /// `apns-priority`, or `android.priority`.
    var priority = ""
    /// `apns-expiration`, in seconds; nil for FCM.
    var expiration: Int64?
    /// `apns-topic`; empty for FCM.
    var topic = ""
    /// `apns-collapse-id`; FCM: the notification's tag, else `rouse_tag`.
    var collapseID = ""
    /// The names of the members of `aps`, or of `android.notification`.
    var members: Set<String> = []
    /// Whether FCM draws something by itself.
    var isDrawn = false
    var interruptionLevel: String?
    var isContentAvailable = false
    /// Whether there is a text to show, in `aps.alert` or among FCM's data.
    var hasText = false
    /// The collapse ids that the app shall remove.
    var clear: Set<String> = []

    init() {}

    init(_ node: JSONNode) {
        provider = Provider(rawValue: node["provider"]?.string ?? "") ?? .apns
        switch provider {
        case .apns: take(apns: node)
        case .fcm: take(fcm: node)
        }
    }

    private mutating func take(apns node: JSONNode) {
        let (headers, aps) = (node["headers"], node["payload"]?["aps"])
        pushType = headers?["apns-push-type"]?.string ?? ""
        priority = headers?["apns-priority"]?.string ?? ""
        topic = headers?["apns-topic"]?.string ?? ""
        expiration = headers?["apns-expiration"]?.string.flatMap { Int64($0) }
        collapseID = headers?["apns-collapse-id"]?.string ?? ""
        members = Set(aps?.members.map { $0.key } ?? [])
        interruptionLevel = aps?["interruption-level"]?.string
        isContentAvailable = aps?["content-available"]?.integer == 1
        hasText = members.contains("alert")
        clear = Set(node["payload"]?["rouse"]?["clear"]?.elements.compactMap(\.string) ?? [])
    }

    private mutating func take(fcm node: JSONNode) {
        let message = node["payload"]?["message"]
        let (android, data) = (message?["android"], message?["data"])
        let notification = android?["notification"]
        priority = android?["priority"]?.string ?? ""
        collapseID = notification?["tag"]?.string ?? data?["rouse_tag"]?.string ?? ""
        members = Set(notification?.members.map { $0.key } ?? [])
        isDrawn = notification != nil || message?["notification"] != nil
        interruptionLevel = data?["rouse_interruption_level"]?.string
        hasText = isDrawn || data?["rouse_body"] != nil || data?["rouse_title"] != nil
        // A list within a string: JSON, or ids with commas between them.
        let list = data?["rouse_clear"]?.string ?? ""
        clear = Set(list.split { "[]\", ".contains($0) }.map(String.init))
    }
}
