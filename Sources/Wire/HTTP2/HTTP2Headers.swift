/// A list of header fields in one contiguous buffer: one allocation for a whole request or response.
///
/// Layout of a field: indexing (1 byte), name length (2), value length (4), name, value. A sender keeps one list with
/// the fields that stay, takes its `mark`, and truncates back to it for each request.
package struct HTTP2Headers: Equatable, Sendable {
    static let prefixByteCount = 7
    static let maximumNameByteCount = 0xFFFF

    private(set) var storage: [UInt8] = []
    package private(set) var count = 0

    package init() {}

    /// A place to come back to with `truncate(to:)`.
    package struct Mark: Equatable, Sendable {
        fileprivate let byteCount: Int
        fileprivate let fieldCount: Int
    }

    package var mark: Mark { Mark(byteCount: storage.count, fieldCount: count) }

    /// Forgets the fields appended since the mark was taken, keeping the buffer.
    package mutating func truncate(to mark: Mark) {
        precondition(mark.byteCount <= storage.count, "a mark from beyond the end")
        storage.removeLast(storage.count - mark.byteCount)
        count = mark.fieldCount
    }

    package mutating func reserveCapacity(_ byteCount: Int) { storage.reserveCapacity(byteCount) }

    package mutating func append(
        _ name: HTTP2FieldName, _ value: some Collection<UInt8>, indexing: HTTP2Indexing = .automatic
    ) {
        appendPrefix(nameCount: name.bytes.count, valueCount: value.count, indexing: indexing)
        storage.append(contentsOf: name.bytes)
        storage.append(contentsOf: value)
        count += 1
    }

    package mutating func append(
        _ name: HTTP2FieldName, _ value: String, indexing: HTTP2Indexing = .automatic
    ) {
        append(name, value.utf8, indexing: indexing)
    }

    package mutating func append(
        _ name: HTTP2FieldName, integer value: Int, indexing: HTTP2Indexing = .automatic
    ) {
        append(name, String(value).utf8, indexing: indexing)
    }

    mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        appendPrefix(nameCount: name.count, valueCount: value.count, indexing: .automatic)
        for index in name.indices { storage.append(name[index]) }
        for index in value.indices { storage.append(value[index]) }
        count += 1
    }

    private mutating func appendPrefix(nameCount: Int, valueCount: Int, indexing: HTTP2Indexing) {
        precondition(nameCount <= Self.maximumNameByteCount, "a field name of \(nameCount) bytes")
        storage.append(indexing.rawValue)
        storage.append(UInt8(truncatingIfNeeded: nameCount))
        storage.append(UInt8(truncatingIfNeeded: nameCount >> 8))
        for shift in [0, 8, 16, 24] { storage.append(UInt8(truncatingIfNeeded: valueCount >> shift)) }
    }
}

extension HTTP2Headers: Sequence {
    package struct Field: Equatable, Sendable {
        package let name: ArraySlice<UInt8>
        package let value: ArraySlice<UInt8>
        package let indexing: HTTP2Indexing
    }

    package struct Iterator: IteratorProtocol {
        fileprivate let storage: [UInt8]
        fileprivate var position = 0

        package mutating func next() -> Field? {
            guard position < storage.count else { return nil }
            let prefix = FieldPrefix(storage, at: position)
            position = prefix.valueRange.upperBound
            return Field(
                name: storage[prefix.nameRange], value: storage[prefix.valueRange], indexing: prefix.indexing)
        }
    }

    package func makeIterator() -> Iterator { Iterator(storage: storage) }

    /// The value of the first field of that name.
    package func bytes(of name: HTTP2FieldName) -> ArraySlice<UInt8>? {
        for field in self where field.name.elementsEqual(name.bytes) { return field.value }
        return nil
    }

    /// As `bytes(of:)`, as text; bytes that are not UTF-8 are replaced.
    package subscript(_ name: HTTP2FieldName) -> String? {
        bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The three digits of `:status`, nil when absent or malformed.
    package var status: Int? {
        guard let digits = bytes(of: .status), digits.count == 3 else { return nil }
        return digits.reduce(0) { sum, digit in
            guard let sum, (0x30...0x39).contains(digit) else { return nil }
            return sum * 10 + Int(digit - 0x30)
        }
    }
}

/// The fixed part before a field's name, decoded.
struct FieldPrefix {
    let indexing: HTTP2Indexing
    let nameRange: Range<Int>
    let valueRange: Range<Int>

    init(_ storage: [UInt8], at position: Int) {
        indexing = HTTP2Indexing(rawValue: storage[position]) ?? .automatic
        let nameCount = Int(storage[position + 1]) | Int(storage[position + 2]) << 8
        var valueCount = 0
        for byte in 0..<4 { valueCount |= Int(storage[position + 3 + byte]) << (8 * byte) }
        let start = position + HTTP2Headers.prefixByteCount
        nameRange = start..<start + nameCount
        valueRange = start + nameCount..<start + nameCount + valueCount
    }
}
