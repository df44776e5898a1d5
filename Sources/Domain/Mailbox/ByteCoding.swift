/// Writes integers as base-128 (negative ones are none of ours), texts behind their length.
struct ByteEncoder {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// - Precondition: not negative.
    mutating func put(_ value: Int) {
        var rest = UInt64(value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func put(_ value: Int64) { put(Int(value)) }

    mutating func put(text: String) {
        put(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads what `ByteEncoder` wrote; nil for bytes that it never wrote.
struct ByteDecoder {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - at }
    var isAtEnd: Bool { at == bytes.count }

    mutating func take() -> Int? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while at < bytes.count, shift < 63 {
            let byte = bytes[at]
            at += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int(exactly: value) }
            shift += 7
        }
        return nil
    }

    mutating func takeText() -> String? {
        guard let count = take(), count <= remaining else { return nil }
        defer { at += count }
        return String(validating: bytes[at..<at + count], as: UTF8.self)
    }

    /// As many as a count before them says, each read by `body`; nil if there is not so much left.
    mutating func takeList<Value>(_ body: (inout Self) -> Value?) -> [Value]? {
        guard let count = take(), count <= remaining else { return nil }
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count {
            guard let value = body(&self) else { return nil }
            values.append(value)
        }
        return values
    }
}
