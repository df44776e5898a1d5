/// The few words Rouse itself puts on a screen, in one language.
package final class Phrases: Sendable {
    /// The body of a message that came without one.
    package let newMessage: String
    private let plural: PluralRule
    private let newMessagesForms: [PluralRule.Form: CountedText]
    /// The title of an end-to-end-encrypted conversation without a name.
    package let encryptedConversation: String

    /// - Precondition: a text for each form of the rule.
    init(
        newMessage: String, plural: PluralRule, newMessagesForms: [PluralRule.Form: CountedText],
        encryptedConversation: String
    ) {
        self.newMessage = newMessage
        self.plural = plural
        self.newMessagesForms = newMessagesForms
        self.encryptedConversation = encryptedConversation
    }

    /// The body of several messages in one push.
    package func newMessages(_ count: Int64) -> String {
        guard let words = newMessagesForms[plural.form(of: count)] else { return String(count) }
        return words.before + String(count) + words.after
    }

    /// Words around a number.
    struct CountedText: Equatable {
        let before: String
        let after: String
    }

    /// The phrases for a device's locale (BCP 47, or with the underscores of other platforms); English where
    /// there is no better.
    ///
    /// The language decides: `zh-Hant-TW` finds `zh-hant` if there is such a catalog, else `zh`.
    package static func of(locale: String?) -> Phrases {
        guard let locale else { return english }
        if let phrases = Catalog.byTag[locale] { return phrases }
        var tag = String(decoding: locale.utf8.map(tagByte), as: UTF8.self)[...]
        while true {
            if let phrases = Catalog.byTag[String(tag)] { return phrases }
            guard let cut = tag.lastIndex(of: "-") else { return english }
            tag = tag[..<cut]
        }
    }

    /// Lower-case and with hyphens: tags are ASCII.
    private static func tagByte(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "_"): UInt8(ascii: "-")
        default: byte
        }
    }

    package static let english =
        Catalog.byTag["en"]
        ?? Phrases(
            newMessage: "New message", plural: .other,
            newMessagesForms: [.other: CountedText(before: "", after: " new messages")],
            encryptedConversation: "Encrypted conversation")
}
