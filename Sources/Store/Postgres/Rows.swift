package import Domain

/// The answer to one statement.
package struct Rows: Sendable {
    private let result: LibPQResult

    init(_ result: LibPQResult) { self.result = result }

    package var count: Int { result.rowCount }
    package var isEmpty: Bool { count == 0 }
    /// Rows written, for a statement that returns none.
    package var affectedRowCount: Int { result.affectedRowCount }

    /// Reads each row by `decode`, which takes the columns in order.
    package func map<Value, Failure: Error>(
        _ decode: (inout Row) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            var row = Row(result, index)
            values.append(try decode(&row))
        }
        return values
    }

    /// The first row, or nil.
    package func first<Value, Failure: Error>(
        _ decode: (inout Row) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard !isEmpty else { return nil }
        var row = Row(result, 0)
        return try decode(&row)
    }
}

/// A cursor over the columns of one row: each call takes the next column.
///
/// The statements are ours, so a column that is missing, or NULL
/// where none may be, is a fault of the program and traps.
package struct Row {
    private let result: LibPQResult
    private let index: Int
    private var column = 0

    init(_ result: LibPQResult, _ index: Int) {
        self.result = result
        self.index = index
    }

    package mutating func int8() -> Int64 { required(int8OrNil()) }
    package mutating func int4() -> Int32 { Int32(required(int8OrNil())) }
    package mutating func int2() -> Int16 { Int16(required(int8OrNil())) }
    package mutating func bool() -> Bool { required(boolOrNil()) }
    package mutating func text() -> String { required(textOrNil()) }
    package mutating func bytea() -> [UInt8] { required(byteaOrNil()) }

    package mutating func int8OrNil() -> Int64? { next { $0.integer($1, $2) } }
    package mutating func int4OrNil() -> Int32? { next { Int32($0.integer($1, $2)) } }
    package mutating func int2OrNil() -> Int16? { next { Int16($0.integer($1, $2)) } }
    package mutating func boolOrNil() -> Bool? { next { $0.integer($1, $2) != 0 } }
    package mutating func textOrNil() -> String? { next { $0.text($1, $2) } }
    package mutating func byteaOrNil() -> [UInt8]? { next { $0.bytes($1, $2) } }

    package mutating func timestamp() -> WallTime { required(timestampOrNil()) }
    package mutating func timestampOrNil() -> WallTime? {
        int8OrNil().map(WallTime.init(postgresMicroseconds:))
    }

    private mutating func next<Value>(_ read: (LibPQResult, Int, Int) -> Value) -> Value? {
        precondition(column < result.columnCount, "the statement answers \(result.columnCount) columns")
        defer { column += 1 }
        return result.isNull(index, column) ? nil : read(result, index, column)
    }

    private func required<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("column \(column) is NULL") }
        return value
    }
}
