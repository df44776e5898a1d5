/// A list of header fields with all names and values in one contiguous buffer.
///
/// Names are lower case; pseudo-header fields come first. A sender keeps one list that begins with
/// the pseudo-header fields that stay, takes its `mark`, and for each request truncates back to it,
/// appends `:path` and then a kept list of the other fields that stay: no allocation.
package struct HTTP2Headers: Equatable, Sendable {
    /// Names and values, one after the other.
    private(set) var bytes: [UInt8] = []
    /// How `bytes` is cut.
    private(set) var shapes: [Shape] = []

    /// Lengths and indexing of a field in one word.
    struct Shape: Equatable, Sendable {
        private let word: UInt64

        init(nameCount: Int, valueCount: Int, indexing: HTTP2Indexing) {
            precondition(nameCount <= 0xFF_FFFF && valueCount <= 0xFFFF_FFFF, "a field beyond all limits")
            word = UInt64(indexing.rawValue) | UInt64(nameCount) << 8 | UInt64(valueCount) << 32
        }

        var indexing: HTTP2Indexing { HTTP2Indexing(rawValue: UInt8(word & 0xFF)) ?? .automatic }
        var nameCount: Int { Int(word >> 8 & 0xFF_FFFF) }
        var valueCount: Int { Int(word >> 32) }
    }

    /// A place to come back to with `truncate(to:)`.
    package struct Mark: Equatable, Sendable {
        fileprivate let byteCount: Int
        fileprivate let fieldCount: Int
    }

    package init() {}

    package var count: Int { shapes.count }
    package var isEmpty: Bool { shapes.isEmpty }
    /// Of all names and values together.
    var byteCount: Int { bytes.count }
    package var mark: Mark { Mark(byteCount: bytes.count, fieldCount: shapes.count) }

    /// Forgets the fields appended since the mark was taken, keeping the buffers.
    package mutating func truncate(to mark: Mark) {
        precondition(
            mark.byteCount <= bytes.count && mark.fieldCount <= shapes.count, "a mark beyond the end")
        bytes.removeLast(bytes.count - mark.byteCount)
        shapes.removeLast(shapes.count - mark.fieldCount)
    }

    package mutating func reserveCapacity(bytes byteCount: Int, fields fieldCount: Int) {
        bytes.reserveCapacity(byteCount)
        shapes.reserveCapacity(fieldCount)
    }

    package mutating func append(
        _ name: HTTP2FieldName, _ value: [UInt8], indexing: HTTP2Indexing = .automatic
    ) {
        append(name, value[...], indexing: indexing)
    }

    package mutating func append(
        _ name: HTTP2FieldName, _ value: ArraySlice<UInt8>, indexing: HTTP2Indexing = .automatic
    ) {
        bytes += name.bytes
        bytes += value
        appendShape(name, valueCount: value.count, indexing)
    }

    package mutating func append(
        _ name: HTTP2FieldName, _ value: String, indexing: HTTP2Indexing = .automatic
    ) {
        bytes += name.bytes
        bytes += value.utf8
        appendShape(name, valueCount: value.utf8.count, indexing)
    }

    /// Appends a field whose value `write` puts at the end of the bytes it is given.
    package mutating func append(
        _ name: HTTP2FieldName, indexing: HTTP2Indexing = .automatic, writing write: (inout [UInt8]) -> Void
    ) {
        bytes += name.bytes
        let start = bytes.count
        write(&bytes)
        appendShape(name, valueCount: bytes.count - start, indexing)
    }

    package mutating func append(
        _ name: HTTP2FieldName, integer value: Int, indexing: HTTP2Indexing = .automatic
    ) {
        append(name, indexing: indexing) { DecimalText.append(Int64(value), to: &$0) }
    }

    private mutating func appendShape(_ name: HTTP2FieldName, valueCount: Int, _ indexing: HTTP2Indexing) {
        shapes.append(Shape(nameCount: name.bytes.count, valueCount: valueCount, indexing: indexing))
    }

    /// Appends all fields of another list: two copies of bytes, whatever their number.
    package mutating func append(contentsOf other: HTTP2Headers) {
        shapes += other.shapes
        bytes += other.bytes
    }

    mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        shapes.append(Shape(nameCount: name.count, valueCount: value.count, indexing: .automatic))
        bytes.append(addingCapacity: name.count + value.count) { (output: inout OutputSpan<UInt8>) in
            output.append(copying: name)
            output.append(copying: value)
        }
    }
}

extension HTTP2Headers: Sequence {
    package struct Field: Equatable, Sendable {
        package let name: ArraySlice<UInt8>
        package let value: ArraySlice<UInt8>
        package let indexing: HTTP2Indexing
    }

    package struct Iterator: IteratorProtocol {
        fileprivate let headers: HTTP2Headers
        private var field = 0
        private var offset = 0

        fileprivate init(_ headers: HTTP2Headers) { self.headers = headers }

        package mutating func next() -> Field? {
            guard field < headers.count else { return nil }
            let shape = headers.shapes[field]
            let valueStart = offset + shape.nameCount
            defer {
                field += 1
                offset = valueStart + shape.valueCount
            }
            return Field(
                name: headers.bytes[offset..<valueStart],
                value: headers.bytes[valueStart..<valueStart + shape.valueCount], indexing: shape.indexing)
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }

    /// The value of the first field of that name.
    package func bytes(of name: HTTP2FieldName) -> ArraySlice<UInt8>? {
        for place in places where isNamed(name, place) { return value(at: place) }
        return nil
    }

    /// As `bytes(of:)`, as text; bytes that are not UTF-8 are replaced.
    package subscript(_ name: HTTP2FieldName) -> String? {
        bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension HTTP2Headers {
    /// Where a field lies: to look at many fields without a slice of each.
    package struct Place: Sendable {
        fileprivate let start: Int
        fileprivate let valueStart: Int
        fileprivate let end: Int

        package var nameCount: Int { valueStart - start }
    }

    package struct Places: Sequence, IteratorProtocol {
        fileprivate let shapes: [Shape]
        private var field = 0
        private var offset = 0

        fileprivate init(_ shapes: [Shape]) { self.shapes = shapes }

        package mutating func next() -> Place? {
            guard field < shapes.count else { return nil }
            let valueStart = offset + shapes[field].nameCount
            let place = Place(
                start: offset, valueStart: valueStart, end: valueStart + shapes[field].valueCount)
            offset = place.end
            field += 1
            return place
        }
    }

    /// All fields, in order; each place is valid while nothing is taken away before it.
    package var places: Places { Places(shapes) }

    package func isNamed(_ name: HTTP2FieldName, _ place: Place) -> Bool {
        guard place.nameCount == name.bytes.count else { return false }
        for index in name.bytes.indices where bytes[place.start + index] != name.bytes[index] { return false }
        return true
    }

    package func value(at place: Place) -> ArraySlice<UInt8> { bytes[place.valueStart..<place.end] }
}
