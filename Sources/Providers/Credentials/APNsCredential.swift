package import Wire

/// The key with which one team speaks to APNs, and the apps it speaks for.
package struct APNsCredential: Sendable {
    package static let provider = "apns"
    static let maximumTopicCount = 400

    package let teamID: String
    package let keyID: String
    package let privateKey: ECDSAP256.PrivateKey
    /// Bundle ids; a token of another topic is not sent.
    package let topics: [String]

    /// Reads `{"team_id", "key_id", "private_key": "<PEM of the .p8>",
    /// "topics": […]}` as the admin API takes it and the store keeps it.
    package static func parse(_ json: [UInt8]) throws(CredentialError) -> APNsCredential {
        let reader = try CredentialReader(json, known: ["team_id", "key_id", "private_key", "topics"])
        let pem = try reader.string("private_key")
        guard let key = try? ECDSAP256.PrivateKey(pem: Array(pem.utf8)) else {
            throw reader.error("private_key", "must be the PEM text of an unencrypted P-256 private key")
        }
        return APNsCredential(
            teamID: try identifier("team_id", reader), keyID: try identifier("key_id", reader),
            privateKey: key,
            topics: try topics(reader))
    }

    /// What may be shown of it.
    package var summary: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("team_id", teamID)
        writer.member("key_id", keyID)
        writer.key("topics")
        writer.beginArray()
        for topic in topics { writer.string(topic) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Apple's ids have ten characters; the length tells when something else was pasted.
    private static func identifier(
        _ key: String, _ reader: CredentialReader
    ) throws(CredentialError) -> String {
        let text = try reader.string(key)
        let isIdentifier = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        }
        guard text.utf8.count == 10, isIdentifier else {
            throw reader.error(key, "must be 10 capital letters and digits")
        }
        return text
    }

    private static func topics(_ reader: CredentialReader) throws(CredentialError) -> [String] {
        let topics = try reader.strings("topics")
        guard (1...maximumTopicCount).contains(topics.count) else {
            throw reader.error("topics", "must name 1 to \(maximumTopicCount) bundle ids")
        }
        for topic in topics {
            guard (1...255).contains(topic.utf8.count), topic.utf8.allSatisfy(isBundleIDByte) else {
                throw reader.error("topics", "has a member that is no bundle id")
            }
        }
        return topics
    }

    private static func isBundleIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
