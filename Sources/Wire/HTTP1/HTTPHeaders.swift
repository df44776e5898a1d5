/// Header fields in the order they came, names repeated where they were repeated.
///
/// All names and values lie in one byte block and are found by offset, so that a request whose fields
/// nobody asks for never makes a `String`. Names are compared without regard to ASCII case.
package struct HTTPHeaders: Sendable {
    struct Field: Sendable {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32
    }

    private(set) var bytes: [UInt8]
    private(set) var fields: [Field]

    /// No fields.
    package init() {
        self.bytes = []
        self.fields = []
    }

    /// Fields over a block that a parser has already checked.
    init(bytes: [UInt8], fields: [Field]) {
        self.bytes = bytes
        self.fields = fields
    }

    /// The number of field lines.
    package var count: Int { fields.count }

    /// Whether there is no field.
    package var isEmpty: Bool { fields.isEmpty }

    /// The first value under a name, or nil.
    package subscript(_ name: String) -> String? {
        guard let field = firstField(name) else { return nil }
        return String(decoding: bytes[Self.value(field)], as: UTF8.self)
    }

    /// The first value under a name as bytes, without making a `String`.
    package func valueBytes(_ name: String) -> ArraySlice<UInt8>? {
        guard let field = firstField(name) else { return nil }
        return bytes[Self.value(field)]
    }

    /// Whether the first value under a name is exactly this text.
    package func value(_ name: String, is text: StaticString) -> Bool {
        guard let field = firstField(name) else { return false }
        return StaticText.equal(bytes.span, Self.value(field), text)
    }

    /// Every value under a name, in order.
    package func values(_ name: String) -> [String] {
        fields.compactMap { field in
            guard matches(field, name) else { return nil }
            return String(decoding: bytes[Self.value(field)], as: UTF8.self)
        }
    }

    /// How many lines have a name.
    package func count(of name: String) -> Int { fields.count { matches($0, name) } }

    /// Whether a name is present.
    package func contains(_ name: String) -> Bool { firstField(name) != nil }

    /// Whether a comma-separated list field holds a token, compared without regard to case
    /// (`Connection: keep-alive, Upgrade` holds `upgrade`).
    package func containsToken(_ token: String, in name: String) -> Bool {
        fields.contains { field in
            matches(field, name)
                && bytes[Self.value(field)].split(separator: ASCII.comma).contains {
                    ASCII.equalIgnoringCase(ASCII.trimmed($0), token)
                }
        }
    }

    /// The members of a comma-separated list field over all its lines, without blanks and empty members.
    package func listTokens(_ name: String) -> [String] {
        values(name).flatMap { Array($0.utf8).split(separator: ASCII.comma) }
            .map { String(decoding: ASCII.trimmed($0), as: UTF8.self) }.filter { !$0.isEmpty }
    }

    /// Adds a field line after the others; control bytes in the value become spaces, so that text from
    /// elsewhere cannot open a line of its own. The name must be a token.
    package mutating func add(_ name: String, _ value: String) {
        precondition(ASCII.isToken(name.utf8), "a header name must be a token")
        let nameStart = UInt32(bytes.count)
        bytes.append(contentsOf: name.utf8)
        let valueStart = UInt32(bytes.count)
        for byte in value.utf8 { bytes.append(ASCII.isControl(byte) ? ASCII.space : byte) }
        let valueEnd = UInt32(bytes.count)
        fields.append(
            Field(nameStart: nameStart, nameEnd: valueStart, valueStart: valueStart, valueEnd: valueEnd))
    }

    /// Removes every line of a name, then adds one.
    package mutating func replace(_ name: String, with value: String) {
        remove(name)
        add(name, value)
    }

    /// Removes every line of a name.
    package mutating func remove(_ name: String) {
        fields = fields.filter { !matches($0, name) }
    }

    func firstField(_ name: String) -> Field? {
        fields.first { matches($0, name) }
    }

    private func matches(_ field: Field, _ name: String) -> Bool {
        let start = Int(field.nameStart)
        guard Int(field.nameEnd) - start == name.utf8.count else { return false }
        let wanted = name.utf8.span
        for offset in 0..<wanted.count
        where ASCII.lowercased(bytes[start + offset]) != ASCII.lowercased(wanted[offset]) { return false }
        return true
    }

    static func name(_ field: Field) -> Range<Int> { Int(field.nameStart)..<Int(field.nameEnd) }
    static func value(_ field: Field) -> Range<Int> { Int(field.valueStart)..<Int(field.valueEnd) }
}

extension HTTPHeaders: Sequence {
    /// Walks the lines as (name, value), names as they were written.
    package func makeIterator() -> AnyIterator<(name: String, value: String)> {
        var index = 0
        return AnyIterator {
            guard index < fields.count else { return nil }
            let field = fields[index]
            index += 1
            return (
                String(decoding: bytes[Self.name(field)], as: UTF8.self),
                String(decoding: bytes[Self.value(field)], as: UTF8.self)
            )
        }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Fields in the order written.
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { add(name, value) }
    }
}
