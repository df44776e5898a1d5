/// The only source of any badge number: a fold of the user's entries.
package struct BadgeState: Equatable, Sendable {
    package internal(set) var totalUnread: Int64 = 0
    package internal(set) var totalMention: Int64 = 0
    package internal(set) var mutedUnread: Int64 = 0
    /// The entry through which the fold went.
    package internal(set) var projectionSeq: MailboxSeq = 0

    package init() {}

    package init(totalUnread: Int64, totalMention: Int64, mutedUnread: Int64, projectionSeq: MailboxSeq) {
        self.totalUnread = totalUnread
        self.totalMention = totalMention
        self.mutedUnread = mutedUnread
        self.projectionSeq = projectionSeq
    }
}
