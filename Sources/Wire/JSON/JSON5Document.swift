/// A JSON5 text, for the config file: comments, unquoted keys, single quotes, trailing commas, hex numbers.
package struct JSON5Document: Sendable {
    /// The outermost value.
    package let root: JSON5Value

    /// The deepest nesting of arrays and objects.
    static let depthLimit = 64

    /// Reads a text; errors carry the line. Duplicate keys are refused, nesting beyond 64 as well.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        if let offset = UTF8Sequence.firstError(bytes.span) {
            let line = 1 + bytes[..<offset].count { $0 == ASCII.lineFeed }
            throw JSONError("invalid UTF-8", byteOffset: offset, line: line)
        }
        var reader = JSON5Reader(bytes: bytes)
        self.root = try reader.document()
    }
}

/// A value of a JSON5 text together with its line, counted from 1.
package struct JSON5Value: Sendable, Equatable {
    /// What the value is.
    package indirect enum Content: Sendable, Equatable {
        case object([Member])
        case array([JSON5Value])
        case string(String)
        /// A number that is whole and within 64 bits.
        case integer(Int64)
        case double(Double)
        case bool(Bool)
        case null
    }

    /// A member of an object and the line of its key.
    package struct Member: Sendable, Equatable {
        package var key: String
        package var line: Int
        package var value: JSON5Value
    }

    /// What the value is.
    package var content: Content
    /// The line on which the value begins.
    package var line: Int

    /// The members of an object in order; empty if the value is no object.
    package var members: [Member] {
        if case .object(let members) = content { members } else { [] }
    }

    /// The member of an object under a key; nil if it is missing or the value is no object.
    package subscript(_ key: String) -> JSON5Value? { members.first { $0.key == key }?.value }

    /// The elements of an array; nil if the value is no array.
    package var elements: [JSON5Value]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The string, or nil if the value is no string.
    package var string: String? {
        if case .string(let string) = content { string } else { nil }
    }

    /// The whole number, or nil if the value is none.
    package var integer: Int64? {
        if case .integer(let integer) = content { integer } else { nil }
    }

    /// Any number, or nil if the value is none.
    package var double: Double? {
        switch content {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    /// True or false, or nil if the value is neither.
    package var bool: Bool? {
        if case .bool(let bool) = content { bool } else { nil }
    }

    /// Whether the value is `null`.
    package var isNull: Bool { content == .null }

    /// The kind in words, for `expected a string, found a number`.
    package var kindInWords: String {
        switch content {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .integer, .double: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}
