/// Writes JSON into a byte buffer; commas and colons place themselves.
///
/// Nothing stops a caller from ending what was not begun; the shape is the caller's.
package struct JSONWriter: Sendable {
    /// What has been written.
    package var bytes: [UInt8]
    /// Whether the next value or key follows another and needs a comma.
    private var needsComma = false

    /// An empty buffer with room for `capacity` bytes.
    package init(capacity: Int = 256) {
        self.bytes = []
        self.bytes.reserveCapacity(capacity)
    }

    /// Opens an object.
    package mutating func beginObject() { open(ASCII.openBrace) }

    /// Closes the innermost object.
    package mutating func endObject() { close(ASCII.closeBrace) }

    /// Opens an array.
    package mutating func beginArray() { open(ASCII.openBracket) }

    /// Closes the innermost array.
    package mutating func endArray() { close(ASCII.closeBracket) }

    /// Begins a member with a key known when the code was written; it must be ASCII that needs no escape.
    package mutating func key(_ key: StaticString) {
        let follows = needsComma
        bytes.append(addingCapacity: key.utf8CodeUnitCount + 4) { (output: inout OutputSpan<UInt8>) in
            if follows { output.append(ASCII.comma) }
            output.append(ASCII.quote)
            StaticText.append(key, to: &output)
            output.append(ASCII.quote)
            output.append(ASCII.colon)
        }
        needsComma = false
    }

    /// Begins a member with any key, escaped where needed.
    package mutating func key(escaping key: String) {
        comma()
        JSONEscaping.append(key, to: &bytes)
        bytes.append(ASCII.colon)
        needsComma = false
    }

    /// Writes a string, escaped where needed.
    package mutating func string(_ value: String) {
        comma()
        JSONEscaping.append(value, to: &bytes)
        needsComma = true
    }

    /// Writes text known to be ASCII that needs no escape: base64url, hex.
    package mutating func string(plain text: [UInt8]) {
        comma()
        bytes.append(ASCII.quote)
        bytes.append(contentsOf: text)
        bytes.append(ASCII.quote)
        needsComma = true
    }

    /// Writes a whole number.
    package mutating func integer(_ value: Int64) {
        comma()
        DecimalText.append(value, to: &bytes)
        needsComma = true
    }

    /// Writes a whole number.
    package mutating func integer(_ value: Int) { integer(Int64(value)) }

    /// Writes the shortest text that reads back as the same double; a value JSON has no word for (infinite,
    /// not a number) is written as `null`.
    package mutating func double(_ value: Double) {
        comma()
        if value.isFinite {
            bytes.append(contentsOf: value.description.utf8)
        } else {
            appendNull()
        }
        needsComma = true
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        comma()
        if value {
            bytes.append(contentsOf: [0x74, 0x72, 0x75, 0x65])
        } else {
            bytes.append(contentsOf: [0x66, 0x61, 0x6C, 0x73, 0x65])
        }
        needsComma = true
    }

    /// Writes `null`.
    package mutating func null() {
        comma()
        appendNull()
        needsComma = true
    }

    /// Splices bytes that are one JSON value already (a `JSONNode`'s `rawBytes`).
    package mutating func raw(_ value: ArraySlice<UInt8>) {
        comma()
        bytes.append(contentsOf: value)
        needsComma = true
    }

    /// Splices bytes that are one JSON value already.
    package mutating func raw(_ value: [UInt8]) { raw(value[...]) }

    /// Empties the buffer and keeps its room.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    private mutating func open(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(ASCII.comma) }
    }

    private mutating func appendNull() { bytes.append(contentsOf: [0x6E, 0x75, 0x6C, 0x6C]) }
}

extension JSONWriter {
    /// Writes a member that is a string.
    package mutating func member(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    /// Writes a member that is a string, if there is one.
    package mutating func member(_ key: StaticString, ifPresent value: String?) {
        if let value { member(key, value) }
    }

    /// Writes a member that is a whole number.
    package mutating func member(_ key: StaticString, _ value: Int64) {
        self.key(key)
        integer(value)
    }

    /// Writes a member that is a whole number.
    package mutating func member(_ key: StaticString, _ value: Int) { member(key, Int64(value)) }

    /// Writes a member that is true or false.
    package mutating func member(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    /// Writes a member whose value is JSON already.
    package mutating func member(_ key: StaticString, raw value: [UInt8]) {
        self.key(key)
        raw(value)
    }
}
