/// A JSON5 text, for the config file: comments, unquoted keys, single quotes, trailing commas.
package struct JSON5Document: Sendable {
    /// The outermost value.
    package let root: JSON5Value

    /// Reads a text; errors carry the line. Duplicate keys are refused, nesting beyond 64 as well.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        throw JSONError("nothing is read yet", byteOffset: 0, line: 1)
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

    package var content: Content
    package var line: Int
}
