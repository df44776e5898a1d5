package import Domain

/// An alert with its words and what its backend added, giving up the least needed until it fits.
///
/// Ingest refuses what could not be shortened enough; what passed it all the same, because of long ids or
/// many escapes, still wakes the device, with less.
package struct ShownAlert {
    package let alert: AlertDraft
    package private(set) var content: NotificationContent
    package private(set) var text: AlertText
    private let phrases: Phrases

    package init(_ alert: AlertDraft, _ content: NotificationContent, _ phrases: Phrases) {
        self.alert = alert
        // Of an end-to-end-encrypted message nothing is told.
        self.content = alert.message.conversation.isEndToEndEncrypted ? NotificationContent() : content
        self.phrases = phrases
        text = AlertText(alert, self.content, phrases)
    }

    /// Gives up what saves at least `excess` bytes, if there is so much in one place: text, then the
    /// backend's data and picture, then everything that it said. False: nothing is left to give.
    package mutating func shorten(by excess: Int, _ measure: EncodedText.Measure = .spelled) -> Bool {
        if text.shorten(by: excess, measure) { return true }
        guard content != NotificationContent() else { return false }
        if content.peers.isEmpty && content.imageURL == nil {
            content = NotificationContent()
        } else {
            content.peers = Peers()
            content.imageURL = nil
        }
        text = AlertText(alert, content, phrases)
        return true
    }
}
