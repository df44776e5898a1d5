package import Domain

/// Parameters in Postgres' binary form, written one after another into a single growing buffer.
///
/// The arrays are made for `unnest`: one call per column, in the order of `$1, $2, …`. A value costs no
/// allocation of its own; the buffer keeps its capacity from batch to batch.
package struct ParameterWriter: Sendable {
    /// Where one parameter lies in `bytes`; nil stands for NULL.
    typealias Place = Range<Int>?

    private(set) var bytes: [UInt8] = []
    private(set) var places: [Place] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    // MARK: Single values

    package mutating func int8(_ value: Int64?) { scalar(value) { $0.appendBigEndian($1) } }
    package mutating func int4(_ value: Int32?) { scalar(value) { $0.appendBigEndian($1) } }
    package mutating func int2(_ value: Int16?) { scalar(value) { $0.appendBigEndian($1) } }
    package mutating func bool(_ value: Bool?) { scalar(value) { $0.append($1 ? 1 : 0) } }
    package mutating func text(_ value: String?) { scalar(value) { $0.appendText($1) } }
    package mutating func bytea(_ value: [UInt8]?) { scalar(value) { $0.append(contentsOf: $1) } }

    /// `timestamptz`
    package mutating func timestamp(_ value: WallTime?) {
        scalar(value) { $0.appendBigEndian($1.postgresMicroseconds) }
    }

    private mutating func scalar<Value>(_ value: Value?, _ write: (inout [UInt8], Value) -> Void) {
        guard let value else { return places.append(nil) }
        let start = bytes.count
        write(&bytes, value)
        places.append(start..<bytes.count)
    }

    // MARK: Columns

    /// `bigint[]`
    package mutating func int8s<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> Int64?) {
        array(rows, of: .int8, value, width: { _ in 8 }, write: { $0.appendBigEndian($1) })
    }

    /// `integer[]`
    package mutating func int4s<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> Int32?) {
        array(rows, of: .int4, value, width: { _ in 4 }, write: { $0.appendBigEndian($1) })
    }

    /// `smallint[]`
    package mutating func int2s<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> Int16?) {
        array(rows, of: .int2, value, width: { _ in 2 }, write: { $0.appendBigEndian($1) })
    }

    /// `boolean[]`
    package mutating func bools<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> Bool?) {
        array(rows, of: .bool, value, width: { _ in 1 }, write: { $0.append($1 ? 1 : 0) })
    }

    /// `text[]`
    package mutating func texts<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> String?) {
        array(
            rows, of: .text, value, width: { $0.utf8.count }, write: { $0.appendText($1) })
    }

    /// `timestamptz[]`
    package mutating func timestamps<Rows: Collection>(
        _ rows: Rows, _ value: (Rows.Element) -> WallTime?
    ) {
        array(
            rows, of: .timestamptz, value, width: { _ in 8 },
            write: { $0.appendBigEndian($1.postgresMicroseconds) })
    }

    /// `bytea[]`
    package mutating func byteas<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> [UInt8]?) {
        array(rows, of: .bytea, value, width: { $0.count }, write: { $0.append(contentsOf: $1) })
    }

    /// `bytea[]` from slices of a larger buffer.
    package mutating func slices<Rows: Collection>(
        _ rows: Rows, _ value: (Rows.Element) -> ArraySlice<UInt8>?
    ) {
        array(rows, of: .bytea, value, width: { $0.count }, write: { $0.append(contentsOf: $1) })
    }

    /// One dimension, lower bound 1: header of five words, then each element behind its length (-1 is NULL).
    @inline(__always)
    private mutating func array<Rows: Collection, Value>(
        _ rows: Rows, of type: ElementType, _ value: (Rows.Element) -> Value?,
        width: (Value) -> Int, write: (inout [UInt8], Value) -> Void
    ) {
        let start = bytes.count
        let count = rows.count
        bytes.appendBigEndian(Int32(count == 0 ? 0 : 1))
        bytes.appendBigEndian(Int32(1))
        bytes.appendBigEndian(type.rawValue)
        if count > 0 {
            bytes.appendBigEndian(Int32(truncatingIfNeeded: count))
            bytes.appendBigEndian(Int32(1))
        }
        for row in rows {
            guard let value = value(row) else {
                bytes.appendBigEndian(Int32(-1))
                continue
            }
            bytes.appendBigEndian(Int32(truncatingIfNeeded: width(value)))
            write(&bytes, value)
        }
        places.append(start..<bytes.count)
    }
}

/// Postgres' fixed type numbers of what arrays here are made of.
private enum ElementType: Int32 {
    case bool = 16
    case bytea = 17
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case timestamptz = 1184
}

extension [UInt8] {
    /// A text column cannot hold U+0000, and one such name would fail a whole batch: it is stored as a space.
    @inline(__always)
    fileprivate mutating func appendText(_ text: String) {
        let start = count
        append(contentsOf: text.utf8)
        while let zero = self[start...].firstIndex(of: 0) { self[zero] = UInt8(ascii: " ") }
    }

    @inline(__always)
    fileprivate mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
        unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
    }
}

extension WallTime {
    /// Postgres counts microseconds from 2000-01-01.
    private static let postgresEpochMilliseconds: Int64 = 946_684_800_000

    var postgresMicroseconds: Int64 { (milliseconds - Self.postgresEpochMilliseconds) * 1_000 }

    init(postgresMicroseconds: Int64) {
        self.init(milliseconds: postgresMicroseconds / 1_000 + Self.postgresEpochMilliseconds)
    }
}
