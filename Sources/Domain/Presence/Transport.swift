/// A way to wake a device.
package enum Transport: UInt8, Sendable, CaseIterable {
    case apns = 1
    case apnsVoIP = 2
    case fcm = 3
    case webPush = 4

    /// Whether it can show an alert: a VoIP token alone makes no device wakeable.
    package var isAlertCapable: Bool { self != .apnsVoIP }

    /// The order in which a device's transports are tried: one per task, the next only if the former died.
    package static let alertOrder: [Transport] = [.apns, .fcm, .webPush]

    /// The order in which a call goes out: what alone can make a device ring.
    package static let callOrder: [Transport] = [.apnsVoIP, .fcm]

    /// The word of the API.
    package var word: String {
        switch self {
        case .apns: "apns"
        case .apnsVoIP: "apns_voip"
        case .fcm: "fcm"
        case .webPush: "webpush"
        }
    }
}

extension Transport {
    /// Browsers punish pushes that show nothing, so that Web Push gets none.
    var takesSilentPushes: Bool { self == .apns || self == .fcm }
}

/// The provider's environment of a token; only APNs has two.
package enum Environment: UInt8, Sendable {
    case production = 0
    case sandbox = 1
}

/// What everyone but the sender may know of a device token: that, and how, the device can be woken.
package struct TokenDigest: Hashable, Sendable {
    package let key: TokenKey
    package let transport: Transport
    package let environment: Environment
    package let registeredAt: WallTime

    package init(key: TokenKey, transport: Transport, environment: Environment, registeredAt: WallTime) {
        self.key = key
        self.transport = transport
        self.environment = environment
        self.registeredAt = registeredAt
    }
}

extension [TokenDigest] {
    /// The one that an alert goes to: APNs, then FCM, then Web Push.
    var alert: TokenDigest? {
        for transport in Transport.alertOrder {
            for token in self where token.transport == transport { return token }
        }
        return nil
    }
}
