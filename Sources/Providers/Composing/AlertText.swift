package import Domain

/// The words of an alert, before they are spelled for a provider.
package struct AlertText: Equatable, Sendable {
    package typealias LocalisedText = NotificationContent.LocalisedText

    package var title: String?
    package var titleKey: LocalisedText?
    package var subtitle: String?
    package var body: String?
    package var bodyKey: LocalisedText?

    /// One message shows its own text, several their number; a mention keeps its text and has the number in
    /// the subtitle. Of an end-to-end-encrypted message nothing is told but the conversation's name.
    package init(_ alert: AlertDraft, _ content: NotificationContent, _ phrases: Phrases) {
        let conversation = alert.message.conversation
        if conversation.isEndToEndEncrypted {
            title = Self.name(conversation.name) ?? phrases.encryptedConversation
            body = phrases.newMessage
            return
        }
        title = content.title ?? Self.title(conversation, alert.message.sender)
        titleKey = content.titleKey
        if alert.count > 1 && alert.mention == .none {
            body = phrases.newMessages(alert.count)
            return
        }
        if alert.count > 1 { subtitle = phrases.newMessages(alert.count) }
        bodyKey = content.bodyKey
        body = content.body ?? (bodyKey == nil ? phrases.newMessage : nil)
        if namesSender(conversation, content), let text = body,
            let sender = Self.name(alert.message.sender.name)
        {
            body = "\(sender): \(text)"
        }
    }

    /// Under a group's own name the body says who wrote.
    private func namesSender(_ conversation: Message.Conversation, _ content: NotificationContent) -> Bool {
        conversation.kind == .group && Self.name(conversation.name) != nil && content.title == nil
            && titleKey == nil
    }

    /// The sender in a direct conversation, the conversation in a group; the other where the one has no name.
    private static func title(_ conversation: Message.Conversation, _ sender: Message.Sender) -> String? {
        switch conversation.kind {
        case .direct: name(sender.name) ?? name(conversation.name)
        case .group: name(conversation.name) ?? name(sender.name)
        }
    }

    /// An empty name is none.
    private static func name(_ name: String?) -> String? { name.flatMap { $0.isEmpty ? nil : $0 } }
}

extension AlertText {
    /// What of a title is never cut while there is a body to cut; more does not fit on any screen.
    private static let titleByteCount = 256

    /// Gives up text so that at least `excess` bytes are saved, if there is so much in one place: of
    /// an overlong title, of the body, of the title, the subtitle. False: nothing is left to give.
    package mutating func shorten(by excess: Int, _ measure: EncodedText.Measure = .spelled) -> Bool {
        if let title, case let length = measure.byteCount(title), length > Self.titleByteCount,
            let shorter = EncodedText.shortened(title, by: min(excess, length - Self.titleByteCount), measure)
        {
            self.title = shorter
        } else if let shorter = body.flatMap({ EncodedText.shortened($0, by: excess, measure) }) {
            body = shorter
        } else if let shorter = title.flatMap({ EncodedText.shortened($0, by: excess, measure) }) {
            title = shorter
        } else if subtitle != nil {
            subtitle = nil
        } else {
            return false
        }
        return true
    }
}
