/// Texts that break careless cutting and spelling.
enum TextCorpus {
    /// Each is one or more whole characters, or a sign that has no business standing alone. The byte
    /// order mark is missing: Foundation's parser loses it behind each escape.
    static let pieces: [String] = [
        "a", "Z", " ", "hello ", "0", "\"", "\\", "/", "é", "e\u{301}", "ß", "ﬁ", "漢字", "かな", "한국",
        "\u{1112}\u{1161}\u{11AB}", "क्षि", "நி", "ไทย", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
        "\u{1F44D}\u{1F3FD}", "\u{1F1E9}\u{1F1EA}", "\u{1F1E9}", "1\u{FE0F}\u{20E3}", "\u{2764}\u{FE0F}",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "\u{1F9D1}\u{1F3FF}\u{200D}\u{1F680}",
        "Z\u{0363}\u{0341}\u{0316}\u{0488}\u{035C}", "שלום", "مرحبا", "\u{200F}", "\u{202E}abc\u{202C}",
        "\u{2067}א\u{2069}", "\u{600}", "\u{110BD}", "\u{200D}", "\u{200B}", "\u{0}", "\u{1}",
        "\u{8}", "\t", "\n", "\r\n", "\r", "\u{B}", "\u{C}", "\u{1B}[31m", "\u{1F}", "\u{7F}", "\u{85}",
        "\u{9F}",
        "\u{2028}", "\u{2029}", "…", "\u{FFFD}", "\u{FFFE}", "\u{10FFFF}", "\u{E000}", "𝒳", "<b>", "&amp;",
        "%@", "%n",
    ]

    /// A text of about so many bytes, of one piece over and over or of many.
    static func text(_ byteCount: Int, _ dice: inout CorpusDice) -> String {
        guard byteCount > 0 else { return "" }
        let choice = dice.chance(2, in: 3) ? pieces : [dice.pick(pieces)]
        var text = ""
        while text.utf8.count < byteCount { text += dice.pick(choice) }
        return text
    }

    /// The text as a JSON string, each character spelled raw or escaped as it happens.
    static func spelled(_ text: String, _ dice: inout CorpusDice) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            if mustEscape || dice.chance(1, in: 8) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: dice.chance(1, in: 2))
                    json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}

/// Seeded, so that a failing case can be replayed.
struct CorpusDice {
    private var state: UInt64

    init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x2545_F491_4F6C_DD1D &+ 1 }

    mutating func roll(_ sides: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(sides))
    }

    mutating func chance(_ hits: Int, in sides: Int) -> Bool { roll(sides) < hits }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
}
