/// What was seen from outside of one user, whose one device was offline all the time.
struct UserEvidence: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        let seq: Int64
        /// Nil for an entry that is no message.
        let messageID: String?
        let countsUnread: Bool
    }

    let user: String
    /// Messages that the server answered with 202.
    var acknowledged: Set<String> = []
    /// Every message that was ever sent, answered or not.
    var sent: Set<String> = []
    /// The mailbox from its beginning, in the order it was given.
    var entries: [Entry] = []
    /// Where the mailbox says that its head is.
    var head: Int64 = 0
    /// The unread total beside the mailbox's last page, and of the badge call.
    var mailboxUnread: Int64 = 0
    var badgeUnread: Int64 = 0
    /// What the provider got for the device, in the order of arrival.
    var pushes: [ReceivedPush] = []

    init(user: String) { self.user = user }
}
