/// The values of a text in the order they begin, each knowing where it lies and where the next sibling is.
///
/// A class, so that a node is one reference and an index.
final class JSONTape: Sendable {
    struct Entry: Sendable {
        /// First byte, quotes and brackets included.
        var start: UInt32
        /// One past the last byte.
        var end: UInt32
        /// The entry after this value and all it holds.
        var next: UInt32
        /// The kind, or what stands for a key.
        var kind: JSONKind
        /// For a string: holds escapes. For a number: is a plain integer.
        var flag: Bool
    }

    let source: [UInt8]
    let entries: [Entry]

    init(source: [UInt8], entries: [Entry]) {
        self.source = source
        self.entries = entries
    }
}

/// The kind of a JSON value.
package enum JSONKind: UInt8, Sendable {
    case object
    case array
    case string
    case number
    case bool
    case null
}
