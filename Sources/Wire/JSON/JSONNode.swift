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
        return decodedString(entry)
    }

    /// The decoded UTF-8 of a string, or nil if the value is no string.
    package var stringBytes: [UInt8]? {
        let entry = entry
        guard entry.kind == .string else { return nil }
        return nil
    }

    /// A whole number written without fraction or exponent and within 64 bits, or nil.
    package var integer: Int64? { nil }

    /// The nearest double of any number, or nil if the value is no number or passes the range.
    package var double: Double? { nil }

    /// True or false, or nil if the value is neither.
    package var bool: Bool? {
        let entry = entry
        guard entry.kind == .bool else { return nil }
        return entry.end - entry.start == 4
    }

    /// Whether the value is `null`.
    package var isNull: Bool { entry.kind == .null }

    func decodedString(_ entry: JSONTape.Entry) -> String { "" }
}
