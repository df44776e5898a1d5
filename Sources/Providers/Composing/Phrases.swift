/// The few words Rouse itself puts on a screen, in one language.
package struct Phrases: Sendable {
    /// The body of a message that came without one.
    package let newMessage: String
    /// The body of several messages in one push.
    package let newMessages: @Sendable (Int64) -> String
    /// The title of an end-to-end-encrypted conversation without a name.
    package let encryptedConversation: String

    /// The phrases for a device's locale (BCP 47); English where there is no better.
    ///
    /// The language decides: `zh-Hant-TW` finds `zh-hant`, then `zh`.
    package static func of(locale: String?) -> Phrases {
        guard let locale, !catalog.isEmpty else { return english }
        var tag = locale.lowercased()[...]
        while true {
            if let phrases = catalog[String(tag)] { return phrases }
            guard let cut = tag.lastIndex(of: "-") else { return english }
            tag = tag[..<cut]
        }
    }

    package static let english = Phrases(
        newMessage: "New message",
        newMessages: { "\($0) new messages" },
        encryptedConversation: "Encrypted conversation")

    /// Further languages, by lower-case language tag.
    private static let catalog: [String: Phrases] = [:]
}
