package import Wire

/// A push as it arrived at a simulated provider.
package struct SimulatedPush: Sendable {
    package enum Provider: String, Sendable { case apns, fcm }

    /// Counts from 1 in the order of arrival.
    package internal(set) var sequence = 0
    package let provider: Provider
    package let token: String
    package let headers: HTTP2Headers
    package let body: [UInt8]
    /// Milliseconds since 1970.
    package let receivedAt: Int64
    /// What was answered; 0 where nothing was.
    package let status: Int
    package let reason: String

    /// `apns-id`; empty for FCM.
    package var apnsID: String { headers["apns-id"] ?? "" }

    package var payload: JSONNode? { (try? JSONDocument(parsing: body))?.root }

    /// The badge that the device would show, if the push has one.
    package var badge: Int64? {
        switch provider {
        case .apns: payload?["aps"]?["badge"]?.integer
        case .fcm: payload?["message"]?["android"]?["notification"]?["notification_count"]?.integer
        }
    }

    /// One object of the list at the control endpoint.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("sequence", sequence)
        writer.member("provider", provider.rawValue)
        writer.member("token", token)
        if provider == .apns { writer.member("apns_id", apnsID) }
        writer.key("headers")
        writer.beginObject()
        for field in headers where field.name.first != 0x3A && !field.name.elementsEqual("authorization".utf8)
        {
            writer.key(escaping: String(decoding: field.name, as: UTF8.self))
            writer.string(String(decoding: field.value, as: UTF8.self))
        }
        writer.endObject()
        writer.key("payload")
        if payload == nil { writer.null() } else { writer.raw(body) }
        writer.key("badge")
        if let badge { writer.integer(badge) } else { writer.null() }
        writer.member("received_at", Timestamp.text(millisecondsSince1970: receivedAt))
        writer.member("status", status)
        writer.member("reason", reason)
        writer.endObject()
    }
}
