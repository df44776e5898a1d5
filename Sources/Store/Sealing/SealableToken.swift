import Domain
import Engine

/// What of a token is sealed, and what stands beside the seal.
struct SealableToken {
    /// What makes two registrations the same token: spelling does not, so APNs' hex is lower case here.
    let identity: [UInt8]
    let environment: Environment
    let topic: String
    let bytes: [UInt8]

    init(_ token: PlainToken) {
        var fields = FieldBytes()
        switch token {
        case .apns(let hex, let topic, let environment), .apnsVoIP(let hex, let topic, let environment):
            identity = Array(hex.lowercased().utf8)
            (self.topic, self.environment) = (topic, environment)
            fields.append(identity)
        case .fcm(let text):
            identity = Array(text.utf8)
            (topic, environment) = ("", .production)
            fields.append(identity)
        case .webPush(let endpoint, let p256dh, let auth):
            identity = Array(endpoint.utf8)
            (topic, environment) = ("", .production)
            fields.append(identity)
            fields.append(p256dh)
            fields.append(auth)
        }
        bytes = fields.bytes
    }

    /// The token again; nil if the bytes are not those of its transport.
    static func read(
        _ bytes: [UInt8], _ transport: Transport, topic: String, _ environment: Environment
    ) -> PlainToken? {
        guard let fields = FieldBytes.fields(of: bytes), let first = fields.first else { return nil }
        let text = String(decoding: first, as: UTF8.self)
        return switch (transport, fields.count) {
        case (.apns, 1): .apns(hex: text, topic: topic, environment)
        case (.apnsVoIP, 1): .apnsVoIP(hex: text, topic: topic, environment)
        case (.fcm, 1): .fcm(text)
        case (.webPush, 3): .webPush(endpoint: text, p256dh: Array(fields[1]), auth: Array(fields[2]))
        default: nil
        }
    }
}

/// Fields behind their lengths, so that no two lists of fields give the same bytes.
struct FieldBytes {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 128) { bytes.reserveCapacity(capacity) }

    mutating func append(_ field: [UInt8]) {
        appendLength(field.count)
        bytes += field
    }

    mutating func append(_ text: String) {
        appendLength(text.utf8.count)
        bytes += text.utf8
    }

    mutating func append(_ number: Int64) {
        append((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }

    private mutating func appendLength(_ length: Int) {
        bytes.append(UInt8(truncatingIfNeeded: length >> 24))
        bytes.append(UInt8(truncatingIfNeeded: length >> 16))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        bytes.append(UInt8(truncatingIfNeeded: length))
    }

    /// Nil unless the bytes are exactly what `append` gives.
    static func fields(of bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        var fields: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            guard bytes.count - start >= 4 else { return nil }
            var length = 0
            for index in start..<start + 4 { length = length << 8 | Int(bytes[index]) }
            start += 4
            guard bytes.count - start >= length else { return nil }
            fields.append(bytes[start..<start + length])
            start += length
        }
        return fields
    }
}
