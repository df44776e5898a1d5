package import Domain
package import Engine
package import Wire

/// The names under which a provider and a device know a push: the same for each retry and replay.
package struct PushIdentity: Equatable, Sendable {
    /// `apns-id`.
    package let id: UUIDBytes
    /// 32 characters of base64url: APNs collapse id and thread, FCM tag, Web Push topic.
    package let collapseID: [UInt8]

    package init(_ request: PushRequest, sealing: any SecretSealing) {
        id = Self.pushID(
            tenant: request.tenant, user: request.user, device: request.draft.device,
            oldestMessage: request.draft.oldestMessage, kind: request.draft.kind)
        collapseID = Self.collapseID(
            tenant: request.tenant, user: request.user, conversation: request.draft.message.conversation.id,
            sealing: sealing)
    }

    /// UUIDv5 in Rouse's own namespace; each part is preceded by its
    /// length, so that no two lists of parts give one name.
    package static func pushID(
        tenant: TenantID, user: UserID, device: DeviceID, oldestMessage: MessageID, kind: PushKind
    ) -> UUIDBytes {
        var name: [UInt8] = []
        name.reserveCapacity(160)
        append(tenant.text, to: &name)
        append(user.text, to: &name)
        append(device.text, to: &name)
        append(oldestMessage.text, to: &name)
        append(kind.word, to: &name)
        return .named(name, in: namespace)
    }

    private static func append(_ part: String, to name: inout [UInt8]) {
        let count = part.utf8.count
        name.append(UInt8(truncatingIfNeeded: count >> 8))
        name.append(UInt8(truncatingIfNeeded: count))
        name.append(contentsOf: part.utf8)
    }

    package static func collapseID(
        tenant: TenantID, user: UserID, conversation: ConversationID, sealing: any SecretSealing
    ) -> [UInt8] {
        Base64URL.encodedBytes(sealing.collapseHash(tenant: tenant, user: user, conversation: conversation))
    }

    /// Drawn at random for this purpose; changing it would ring every retried push twice.
    private static let namespace = UUIDBytes(high: 0x5e4c_0a3b_9d61_4f27, low: 0x9b1e_7c02_d8f3_46aa)
}
