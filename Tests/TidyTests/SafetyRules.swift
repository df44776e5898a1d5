/// What the compiler cannot hold against us.
enum SafetyRules {
    /// `try!`, `as!`, `value!`, `Type!`: a failure that nobody handles.
    static func forcings(in file: SourceFile) -> [Violation] {
        file.swift.code.enumerated().compactMap { index, line in
            guard isForcing(Array(line.utf8)) else { return nil }
            return Violation(path: file.path, line: index + 1, rule: "forces an optional, a cast or a try")
        }
    }

    private static func isForcing(_ code: [UInt8]) -> Bool {
        for at in code.indices.dropFirst() where code[at] == UInt8(ascii: "!") {
            let isComparison = at + 1 < code.count && code[at + 1] == UInt8(ascii: "=")
            if endsOperand(code[at - 1]) && !isComparison { return true }
        }
        return false
    }

    private static func endsOperand(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ")"), UInt8(ascii: "]"),
            UInt8(ascii: "}"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "?"):
            true
        default: false
        }
    }

    private static let claims = ["@unchecked Sendable", "nonisolated(unsafe)"]

    /// A claim that the compiler takes on trust, without a comment on the lines before it.
    static func unprovenClaims(in file: SourceFile) -> [Violation] {
        guard file.has(".swift") else { return [] }
        let text = file.swift
        return text.code.enumerated().compactMap { index, line in
            guard let claim = claims.first(where: line.contains) else { return nil }
            // Between the comment and the claim may stand the declaration's own attributes.
            let before = text.comments[max(0, index - 2)...index]
            if before.contains(where: { $0.utf8.count > 20 }) { return nil }
            return Violation(
                path: file.path, line: index + 1, rule: "\(claim) without its proof in a comment")
        }
    }
}
