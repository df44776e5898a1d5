/// Swift source parted into what the compiler reads and what people read, line by line.
///
/// What stands in a string or a raw identifier belongs to neither; an interpolation is code.
struct SwiftText {
    private(set) var code: [String] = []
    private(set) var comments: [String] = []

    init(_ lines: [String]) {
        var scanner = Scanner()
        for line in lines {
            let parted = scanner.part(Array(line.utf8))
            code.append(String(decoding: parted.code, as: UTF8.self))
            comments.append(String(decoding: parted.comment, as: UTF8.self))
        }
    }
}

extension SwiftText {
    private enum Mode: Equatable {
        case code
        case blockComment(depth: Int)
        case string(hashes: Int, isMultiline: Bool)
        /// The parentheses that are open inside `\(…)`.
        case interpolation(parentheses: Int)
    }

    private struct Scanner {
        private var modes: [Mode] = [.code]
        private var line: [UInt8] = []
        private var at = 0
        private var code: [UInt8] = []
        private var comment: [UInt8] = []

        mutating func part(_ bytes: [UInt8]) -> (code: [UInt8], comment: [UInt8]) {
            (line, at, code, comment) = (bytes, 0, [], [])
            while at < line.count { step() }
            // A string of one line ends with it, whatever the text says.
            if case .string(_, false)? = modes.last { modes.removeLast() }
            return (code, comment)
        }

        private mutating func step() {
            switch modes[modes.count - 1] {
            case .blockComment(let depth): stepInComment(depth)
            case .string(let hashes, let isMultiline): stepInString(hashes, isMultiline)
            case .code, .interpolation: stepInCode()
            }
        }

        private mutating func stepInComment(_ depth: Int) {
            if line[at] == UInt8(ascii: "*"), sees("*/") {
                at += 2
                modes.removeLast()
                if depth > 1 { modes.append(.blockComment(depth: depth - 1)) }
            } else if line[at] == UInt8(ascii: "/"), sees("/*") {
                at += 2
                modes[modes.count - 1] = .blockComment(depth: depth + 1)
            } else {
                comment.append(line[at])
                at += 1
            }
        }

        private mutating func stepInString(_ hashes: Int, _ isMultiline: Bool) {
            let quotes = isMultiline ? 3 : 1
            if isBackslash, fences(at + 1, hashes) {
                let next = at + 1 + hashes
                if next < line.count, line[next] == UInt8(ascii: "(") {
                    code.append(line[next])
                    modes.append(.interpolation(parentheses: 1))
                }
                at = next + 1
            } else if isQuote, run(of: UInt8(ascii: "\""), from: at) >= quotes, fences(at + quotes, hashes) {
                at += quotes + hashes
                code.append(UInt8(ascii: "\""))
                modes.removeLast()
            } else {
                at += 1
            }
        }

        private mutating func stepInCode() {
            switch line[at] {
            case UInt8(ascii: "/") where sees("//"):
                comment += line[at...]
                at = line.count
            case UInt8(ascii: "/") where sees("/*"):
                at += 2
                modes.append(.blockComment(depth: 1))
            case UInt8(ascii: "`"):
                at = (line[(at + 1)...].firstIndex(of: UInt8(ascii: "`")) ?? line.count - 1) + 1
                code += Array("``".utf8)
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                if !opensString() { keep(line[at]) }
            default: keep(line[at])
            }
        }

        private mutating func opensString() -> Bool {
            let hashes = run(of: UInt8(ascii: "#"), from: at)
            guard at + hashes < line.count, line[at + hashes] == UInt8(ascii: "\"") else { return false }
            at += hashes
            let isMultiline = run(of: UInt8(ascii: "\""), from: at) >= 3
            at += isMultiline ? 3 : 1
            code.append(UInt8(ascii: "\""))
            modes.append(.string(hashes: hashes, isMultiline: isMultiline))
            return true
        }

        private mutating func keep(_ byte: UInt8) {
            code.append(byte)
            at += 1
            guard case .interpolation(let open) = modes[modes.count - 1] else { return }
            if byte == UInt8(ascii: "(") { modes[modes.count - 1] = .interpolation(parentheses: open + 1) }
            if byte == UInt8(ascii: ")") {
                modes.removeLast()
                if open > 1 { modes.append(.interpolation(parentheses: open - 1)) }
            }
        }

        private var isBackslash: Bool { line[at] == UInt8(ascii: "\\") }

        private var isQuote: Bool { line[at] == UInt8(ascii: "\"") }

        private func sees(_ two: StaticString) -> Bool {
            at + 1 < line.count && String(decoding: line[at...at + 1], as: UTF8.self) == two.description
        }

        private func fences(_ index: Int, _ hashes: Int) -> Bool {
            hashes == 0 || run(of: UInt8(ascii: "#"), from: index) >= hashes
        }

        private func run(of byte: UInt8, from index: Int) -> Int {
            var end = index
            while end < line.count, line[end] == byte { end += 1 }
            return end - index
        }
    }
}
