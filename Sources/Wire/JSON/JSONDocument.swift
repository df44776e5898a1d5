/// What a JSON text may be.
package struct JSONLimits: Sendable {
    /// Longest text in bytes.
    package var bytes: Int
    /// Deepest nesting of arrays and objects.
    package var depth: Int
    /// Whether an object with the same key twice is refused; the last would win for nobody.
    package var refusesDuplicateKeys: Bool

    /// The defaults of the interface: 1 MiB, 64 levels, no duplicates.
    package init(bytes: Int = 1_048_576, depth: Int = 64, refusesDuplicateKeys: Bool = true) {
        self.bytes = bytes
        self.depth = depth
        self.refusesDuplicateKeys = refusesDuplicateKeys
    }
}

/// A JSON text (RFC 8259) that has been checked whole; its values are read in place.
package struct JSONDocument: Sendable {
    private let tape: JSONTape

    /// Checks a text: syntax, UTF-8, escapes, depth, duplicates.
    /// Throws at the first byte that cannot be taken.
    package init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var scanner = JSONScanner(limits: limits)
        self.tape = try scanner.scan(bytes)
    }

    /// The outermost value.
    package var root: JSONNode { JSONNode(tape: tape, index: 0) }
}
