package import Domain

/// A device token as the engine and the store know it: sealed, and findable by a keyed hash only.
package struct SealedToken: Equatable, Sendable {
    package let digest: TokenDigest
    /// AES-256-GCM: the token, and for Web Push its keys, with the tenant as associated data.
    package let sealed: [UInt8]
    /// Which master key sealed it.
    package let keyID: String
    /// HMAC of (tenant, transport, token): equal tokens are found without being opened.
    package let lookup: [UInt8]
    /// APNs topic; empty elsewhere.
    package let topic: String

    package init(digest: TokenDigest, sealed: [UInt8], keyID: String, lookup: [UInt8], topic: String) {
        self.digest = digest
        self.sealed = sealed
        self.keyID = keyID
        self.lookup = lookup
        self.topic = topic
    }
}

/// A device token in clear: lives only between the registration's body and its seal, and in the sender.
package enum PlainToken: Sendable {
    case apns(hex: String, topic: String, Environment)
    case apnsVoIP(hex: String, topic: String, Environment)
    case fcm(String)
    case webPush(endpoint: String, p256dh: [UInt8], auth: [UInt8])

    package var transport: Transport {
        switch self {
        case .apns: .apns
        case .apnsVoIP: .apnsVoIP
        case .fcm: .fcm
        case .webPush: .webPush
        }
    }
}

/// Seals tokens on their way in and opens them for the sender. Thread safe.
package protocol TokenSealing: Sendable {
    func seal(_ token: PlainToken, tenant: TenantKey) -> UnkeyedToken
    /// Nil if the seal does not open: another master key, or a tampered row.
    func open(_ token: SealedToken, tenant: TenantKey) -> PlainToken?
}

/// A sealed token that has no row yet; the shard gives it its key and time.
package struct UnkeyedToken: Equatable, Sendable {
    package let transport: Transport
    package let environment: Environment
    package let sealed: [UInt8]
    package let keyID: String
    package let lookup: [UInt8]
    package let topic: String

    package init(
        transport: Transport, environment: Environment, sealed: [UInt8], keyID: String, lookup: [UInt8],
        topic: String
    ) {
        self.transport = transport
        self.environment = environment
        self.sealed = sealed
        self.keyID = keyID
        self.lookup = lookup
        self.topic = topic
    }
}
