package import Domain

/// An alert with its words and what its backend added, giving up the least needed until it fits: all that is
/// the same for every recipient who is shown the same message in the same language.
///
/// Ingest refuses what could not be shortened enough; what passed it all the same, because of long ids or
/// many escapes, still wakes the device, with less.
package final class ShownAlert {
    package let content: NotificationContent
    package let text: AlertText
    /// The first recipient's: no place in a mailbox may be read from it.
    private let alert: AlertDraft
    private let phrases: Phrases

    package convenience init(_ alert: AlertDraft, _ content: NotificationContent, _ phrases: Phrases) {
        // Of an end-to-end-encrypted message nothing is told.
        let content = alert.message.conversation.isEndToEndEncrypted ? NotificationContent() : content
        self.init(alert, content, AlertText(alert, content, phrases), phrases)
    }

    private init(
        _ alert: AlertDraft, _ content: NotificationContent, _ text: AlertText, _ phrases: Phrases
    ) {
        self.alert = alert
        self.content = content
        self.text = text
        self.phrases = phrases
    }

    func isOf(_ message: Message) -> Bool { alert.message === message }

    /// Whether another alert has the same words.
    func isOf(_ other: AlertDraft, _ phrases: Phrases) -> Bool {
        alert.message === other.message && alert.count == other.count && alert.mention == other.mention
            && self.phrases === phrases
    }

    /// Gives up what saves at least `excess` bytes, if there is so much in one place: text, then the
    /// backend's data and picture, then everything that it said. Nil: nothing is left to give.
    package func shortened(by excess: Int, _ measure: EncodedText.Measure = .spelled) -> ShownAlert? {
        var (text, content) = (text, content)
        if text.shorten(by: excess, measure) { return ShownAlert(alert, content, text, phrases) }
        guard content != NotificationContent() else { return nil }
        if content.peers.isEmpty && content.imageURL == nil {
            content = NotificationContent()
        } else {
            content.peers = Peers()
            content.imageURL = nil
        }
        return ShownAlert(alert, content, AlertText(alert, content, phrases), phrases)
    }
}

/// What the push before showed: a message to a group is read and put into words once, not once for each
/// recipient.
struct ShownCache {
    private var last: ShownAlert?
    private var locale: String?
    private var phrases = Phrases.english

    /// What a draft shows; nil where it shows nothing.
    mutating func shown(of draft: PushDraft) -> ShownAlert? {
        guard let alert = draft.shown else { return nil }
        if draft.locale != locale {
            locale = draft.locale
            phrases = .of(locale: locale)
        }
        if let last, last.isOf(alert, phrases) { return last }
        let content =
            if let last, last.isOf(alert.message) { last.content } else {
                NotificationContent(parsing: alert.message.notification)
            }
        let shown = ShownAlert(alert, content, phrases)
        last = shown
        return shown
    }
}
