import Domain

/// What a person sees of a device without opening the app: the number on the icon, and the banners.
final class Screen {
    /// Nil: it was never given one.
    private(set) var badge: Int64?
    private var badgeRevision: Int64 = -1
    /// Per collapse id, which a conversation has one of.
    private(set) var banners: Set<ConversationID> = []

    /// A push arrives, maybe late: what is older than what is shown is not shown.
    func show(_ draft: PushDraft) {
        guard draft.badgeRevision >= badgeRevision else { return }
        badgeRevision = draft.badgeRevision
        badge = draft.badge
    }
}
