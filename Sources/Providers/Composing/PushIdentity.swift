package import Domain
package import Engine
package import Wire

/// The names under which a provider and a device know a push: the same for each retry and replay.
package struct PushIdentity: Equatable, Sendable {
    /// 32 characters of base64url: APNs collapse id and thread, FCM tag, Web Push topic.
    package let collapseID: [UInt8]
    /// The collapse ids that a cover removes, at most `CoverDraft.maximumCleared`.
    package let cleared: [[UInt8]]

    package init(collapseID: [UInt8], cleared: [[UInt8]] = []) {
        self.collapseID = collapseID
        self.cleared = cleared
    }

    package init(_ request: PushRequest, sealing: any SecretSealing) {
        let named = Naming(request.draft)
        collapseID = Self.collapseID(
            tenant: request.tenant, user: request.user, conversation: named.conversation, sealing: sealing)
        cleared = named.cleared.map {
            Self.collapseID(tenant: request.tenant, user: request.user, conversation: $0, sealing: sealing)
        }
    }

    /// What of a draft goes into its names.
    private struct Naming {
        let oldestMessage: MessageID
        let conversation: ConversationID
        var badgeRevision: Int64?
        var cleared: ArraySlice<ConversationID> = []

        init(_ draft: PushDraft) {
            switch draft.content {
            case .alert(let alert), .wake(let alert):
                oldestMessage = alert.oldestMessage
                conversation = alert.message.conversation.id
            case .cover(let cover):
                oldestMessage = cover.oldestMessage
                conversation = cover.conversation
                cleared = cover.clear.suffix(CoverDraft.maximumCleared)
                badgeRevision = draft.badgeRevision
            case .badge:
                oldestMessage = MessageID("")
                conversation = .ofNone
                badgeRevision = draft.badgeRevision
            case .call(let call):
                oldestMessage = MessageID(call.callID.text)
                conversation = call.conversation ?? .ofNone
            case .callCancelled(let end):
                oldestMessage = MessageID(end.callID.text)
                conversation = .ofNone
            }
        }
    }

    /// `apns-id`.
    package static func pushID(_ request: PushRequest) -> UUIDBytes {
        let named = Naming(request.draft)
        return pushID(
            tenant: request.tenant, user: request.user, device: request.draft.device,
            oldestMessage: named.oldestMessage, kind: request.draft.kind, badgeRevision: named.badgeRevision)
    }

    /// UUIDv5 in Rouse's own namespace; each part is preceded by its
    /// length, so that no two lists of parts give one name.
    ///
    /// A cover and a badge push are named by the state they tell, too:
    /// the next state is another push, not a repetition of this one.
    package static func pushID(
        tenant: TenantID, user: UserID, device: DeviceID, oldestMessage: MessageID, kind: PushKind,
        badgeRevision: Int64? = nil
    ) -> UUIDBytes {
        var name: [UInt8] = []
        name.reserveCapacity(160)
        append(tenant.text, to: &name)
        append(user.text, to: &name)
        append(device.text, to: &name)
        append(oldestMessage.text, to: &name)
        append(kind.word, to: &name)
        if let badgeRevision { append(String(badgeRevision), to: &name) }
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

extension ConversationID {
    /// Stands for no conversation: no backend can name one so, because an id has at least one byte.
    package static let ofNone = ConversationID("")
}
