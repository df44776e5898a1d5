/// A value inside a checked document.
///
/// Reading is by kind: the wrong question gets nil, never a conversion. A node keeps its document alive.
package struct JSONNode: Sendable {
    let tape: JSONTape
    let index: Int

    var entry: JSONTape.Entry { tape.entries[index] }

    /// The kind of the value.
    package var kind: JSONKind { entry.kind }

    /// Where the value begins in the text.
    package var byteOffset: Int { Int(entry.start) }

    /// The value exactly as it stood in the text.
    package var rawBytes: ArraySlice<UInt8> { tape.source[Int(entry.start)..<Int(entry.end)] }

    /// The decoded string, or nil if the value is no string.
    package var string: String? {
        let entry = entry
        guard entry.kind == .string else { return nil }
        return tape.text(entry)
    }

    /// The decoded UTF-8 of a string, or nil if the value is no string.
    package var stringBytes: [UInt8]? {
        let entry = entry
        guard entry.kind == .string else { return nil }
        guard entry.flag else { return Array(tape.source[Int(entry.start) + 1..<Int(entry.end) - 1]) }
        return tape.decode(entry)
    }

    /// How many bytes the decoded string has, or nil if the value is no string.
    package var stringByteCount: Int? {
        let entry = entry
        guard entry.kind == .string else { return nil }
        return entry.flag ? tape.decode(entry).count : Int(entry.end - entry.start) - 2
    }

    /// Whether the value is a string of exactly this text, without making a `String`.
    package func isString(_ text: String) -> Bool {
        let entry = entry
        return entry.kind == .string && tape.matches(entry, text)
    }

    /// A whole number written without fraction or exponent and within 64 bits, or nil.
    package var integer: Int64? {
        let entry = entry
        guard entry.kind == .number, entry.flag else { return nil }
        return tape.integer(entry)
    }

    /// The nearest double of any number, or nil if the value is no number or passes the range.
    package var double: Double? {
        guard kind == .number, let value = Double(String(decoding: rawBytes, as: UTF8.self)),
            value.isFinite
        else { return nil }
        return value
    }

    /// True or false, or nil if the value is neither.
    package var bool: Bool? {
        let entry = entry
        guard entry.kind == .bool else { return nil }
        return entry.end - entry.start == 4
    }

    /// Whether the value is `null`.
    package var isNull: Bool { entry.kind == .null }
}

extension JSONTape {
    /// The content of a string entry.
    func text(_ entry: Entry) -> String {
        guard entry.flag else {
            return String(decoding: source[Int(entry.start) + 1..<Int(entry.end) - 1], as: UTF8.self)
        }
        return String(decoding: decode(entry), as: UTF8.self)
    }

    /// The content of a string entry as bytes.
    func decode(_ entry: Entry) -> [UInt8] {
        let source = source
        return JSONEscaping.decode(source.span, entry)
    }

    /// Whether a string entry's content is a text.
    func matches(_ entry: Entry, _ text: String) -> Bool {
        guard !entry.flag else { return self.text(entry).utf8.elementsEqual(text.utf8) }
        let start = Int(entry.start) + 1
        let length = Int(entry.end) - 1 - start
        let wanted = text.utf8.span
        guard wanted.count == length else { return false }
        let source = source
        let bytes = source.span
        for offset in 0..<length where bytes[start + offset] != wanted[offset] { return false }
        return true
    }

    /// Whether a string entry's content is a text of the code.
    func matches(_ entry: Entry, _ text: StaticString) -> Bool {
        let content = Int(entry.start) + 1..<Int(entry.end) - 1
        guard !entry.flag else { return matches(entry, text.description) }
        guard content.count == text.utf8CodeUnitCount else { return false }
        let source = source
        return StaticText.equal(source.span, content, text)
    }

    /// The value of a plain integer, nil beyond 64 bits. Counts
    /// downwards, since there is one more below zero.
    func integer(_ entry: Entry) -> Int64? {
        let source = source
        let bytes = source.span
        var index = Int(entry.start)
        let isNegative = bytes[index] == ASCII.minus
        if isNegative { index += 1 }
        var value: Int64 = 0
        while index < Int(entry.end) {
            let (tenfold, passed) = value.multipliedReportingOverflow(by: 10)
            let (next, alsoPassed) = tenfold.subtractingReportingOverflow(Int64(bytes[index] - ASCII.zero))
            guard !passed, !alsoPassed else { return nil }
            value = next
            index += 1
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }
}
