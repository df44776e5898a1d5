/// A provider's own word for its answer, taken only if it is one: such
/// words enter traces and metrics, and a peer could echo anything.
struct AnswerWord: Equatable, Sendable {
    static let maximumByteCount = 64

    let text: String

    init?(_ text: String) {
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
            default: false
            }
        }
        guard isWord, (1...Self.maximumByteCount).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}
