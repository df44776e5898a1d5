/// Finds the answers in what a keep-alive connection of HTTP/1.1 brings: status and body, by `Content-Length`
/// only. Much less than a parser, because the generator shares the cores with what it measures.
struct AnswerScanner: Sendable {
    struct Answer: Equatable, Sendable {
        let status: Int
        let body: ArraySlice<UInt8>
    }

    private var bytes: [UInt8] = []

    init() {}

    mutating func append(_ more: ArraySlice<UInt8>) { bytes += more }

    /// The next whole answer; nil until more bytes come. Throws at what is no answer, or has no length.
    mutating func next() throws(LoadtestFailure) -> Answer? {
        guard let head = Head(bytes.span) else { return nil }
        guard let status = head.status else { throw LoadtestFailure("an answer that is no HTTP/1.1") }
        guard let length = head.length ?? (status == 204 ? 0 : nil) else {
            throw LoadtestFailure("an answer without Content-Length")
        }
        guard bytes.count >= head.end + length else { return nil }
        let answer = Answer(status: status, body: bytes[head.end..<head.end + length])
        bytes.removeFirst(head.end + length)
        return answer
    }

    /// Where a head ends and what it says, found in one pass.
    private struct Head {
        private(set) var end = 0
        private(set) var status: Int?
        private(set) var length: Int?

        /// Nil until the blank line is there.
        init?(_ bytes: Span<UInt8>) {
            var lineStart = 0
            for at in 0..<bytes.count where bytes[at] == 0x0a {
                let line = bytes.extracting(lineStart..<at)
                if line.count == 1, line[0] == 0x0d {
                    end = at + 1
                    return
                }
                if lineStart == 0 { status = Self.status(line) }
                length = length ?? Self.length(line)
                lineStart = at + 1
            }
            return nil
        }

        private static let version = Array("HTTP/1.1 ".utf8)
        private static let lengthName = Array("content-length:".utf8)

        private static func status(_ line: Span<UInt8>) -> Int? {
            guard line.count >= 12, begins(line, with: version) else { return nil }
            return number(line.extracting(9..<12))
        }

        private static func length(_ line: Span<UInt8>) -> Int? {
            guard line.count > lengthName.count, begins(line, with: lengthName) else { return nil }
            return number(line.extracting(lengthName.count..<line.count))
        }

        /// Whatever the case of the letters.
        private static func begins(_ line: Span<UInt8>, with text: [UInt8]) -> Bool {
            for index in text.indices where line[index] | 0x20 != text[index] | 0x20 { return false }
            return true
        }

        /// The digits behind any blanks, up to what is none.
        private static func number(_ bytes: Span<UInt8>) -> Int? {
            var number: Int?
            for index in 0..<bytes.count where bytes[index] != 0x20 {
                guard (0x30...0x39).contains(bytes[index]) else { break }
                number = (number ?? 0) * 10 + Int(bytes[index] - 0x30)
            }
            return number
        }
    }
}
