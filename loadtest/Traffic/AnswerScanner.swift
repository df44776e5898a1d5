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
        guard let bodyStart = endOfHead else { return nil }
        guard bytes.count > 12, bytes.starts(with: Self.version),
            let status = Int(String(decoding: bytes[9..<12], as: UTF8.self))
        else { throw LoadtestFailure("an answer that is no HTTP/1.1") }
        guard let length = length(before: bodyStart) ?? (status == 204 ? 0 : nil) else {
            throw LoadtestFailure("an answer without Content-Length")
        }
        guard bytes.count >= bodyStart + length else { return nil }
        let answer = Answer(status: status, body: bytes[bodyStart..<bodyStart + length])
        bytes.removeFirst(bodyStart + length)
        return answer
    }

    private static let version = Array("HTTP/1.1 ".utf8)
    private static let lengthName = Array("\ncontent-length:".utf8)

    private var endOfHead: Int? {
        guard bytes.count >= 4 else { return nil }
        for at in 3..<bytes.count
        where bytes[at] == 0x0a && bytes[at - 1] == 0x0d && bytes[at - 2] == 0x0a && bytes[at - 3] == 0x0d {
            return at + 1
        }
        return nil
    }

    private func length(before end: Int) -> Int? {
        let name = Self.lengthName
        guard end > name.count else { return nil }
        for at in 0..<(end - name.count) where bytes[at] == 0x0a {
            guard (1..<name.count).allSatisfy({ bytes[at + $0] | 0x20 == name[$0] | 0x20 }) else { continue }
            var length: Int?
            for byte in bytes[(at + name.count)..<end] where byte != 0x20 {
                guard (0x30...0x39).contains(byte) else { break }
                length = (length ?? 0) * 10 + Int(byte - 0x30)
            }
            return length
        }
        return nil
    }
}
