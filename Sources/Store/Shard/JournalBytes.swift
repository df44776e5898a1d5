/// Writes the parts of a journal page: integers of eight bytes, the least significant first, counts of four.
struct JournalWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func put(_ value: UInt8) { bytes.append(value) }

    mutating func put(_ value: Int64) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Bytes behind their count.
    mutating func put(_ bytes: [UInt8]) {
        put(count: bytes.count)
        self.bytes.append(contentsOf: bytes)
    }

    mutating func put<Row>(_ rows: [Row], _ put: (inout JournalWriter, Row) -> Void) {
        self.put(count: rows.count)
        for row in rows { put(&self, row) }
    }

    private mutating func put(count: Int) {
        unsafe Swift.withUnsafeBytes(of: UInt32(count).littleEndian) {
            unsafe bytes.append(contentsOf: $0)
        }
    }
}

/// Reads what `JournalWriter` wrote. Whatever is missing reads as zero, and then it never is at its end.
struct JournalReader {
    private var rest: ArraySlice<UInt8>
    private var isSound = true

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether everything was there, and nothing more.
    var isAtEnd: Bool { isSound && rest.isEmpty }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: number(of: 1)) }

    mutating func int64() -> Int64 { Int64(truncatingIfNeeded: number(of: 8)) }

    /// Bytes behind their count.
    mutating func bytes() -> [UInt8] {
        let count = number(of: 4)
        guard count <= rest.count else {
            isSound = false
            return []
        }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    /// Rows behind their count, until one cannot be read.
    mutating func rows<Row>(_ row: (inout JournalReader) -> Row?) -> [Row] {
        var rows: [Row] = []
        for _ in 0..<number(of: 4) {
            guard let row = row(&self), isSound else {
                isSound = false
                break
            }
            rows.append(row)
        }
        return rows
    }

    private mutating func number(of width: Int) -> UInt64 {
        guard width <= rest.count else {
            isSound = false
            rest = []
            return 0
        }
        defer { rest = rest.dropFirst(width) }
        return rest.prefix(width).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
