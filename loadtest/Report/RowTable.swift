import Wire

/// The single runs behind a report's figures, a row each: columns for people, objects for programs.
struct RowTable: Equatable, Sendable {
    enum Cell: Equatable, Sendable {
        case text(String)
        case number(Int64)
        /// What was not seen.
        case nothing

        init(_ number: Int64?) { self = number.map { .number($0) } ?? .nothing }
    }

    struct Column: Equatable, Sendable {
        /// The name in JSON.
        let key: String
        let heading: String

        init(_ key: String, _ heading: String) {
            self.key = key
            self.heading = heading
        }
    }

    /// The name in JSON.
    let key: String
    let columns: [Column]
    private(set) var rows: [[Cell]] = []

    init(_ key: String, _ columns: [Column]) {
        self.key = key
        self.columns = columns
    }

    /// - Precondition: a cell for each column.
    mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count)
        rows.append(cells)
    }

    var lines: [String] {
        let texts = [columns.map(\.heading)] + rows.map { $0.map(\.words) }
        let widths = columns.indices.map { column in texts.map { $0[column].count }.max() ?? 0 }
        return texts.enumerated().map { number, row in
            let cells = row.enumerated().map { column, text in
                let gap = String(repeating: " ", count: widths[column] - text.count)
                let isNumber = number > 0 && rows[number - 1][column].isNumber
                return isNumber ? gap + text : text + gap
            }
            let line = "  " + cells.joined(separator: "  ")
            return String(
                line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.endIndex)])
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.key(escaping: key)
        writer.beginArray()
        for row in rows {
            writer.beginObject()
            for (column, cell) in zip(columns, row) {
                writer.key(escaping: column.key)
                switch cell {
                case .text(let text): writer.string(text)
                case .number(let number): writer.integer(number)
                case .nothing: writer.null()
                }
            }
            writer.endObject()
        }
        writer.endArray()
    }
}

extension RowTable.Cell {
    fileprivate var words: String {
        switch self {
        case .text(let text): text
        case .number(let number): Decimal.text(Double(number))
        case .nothing: "-"
        }
    }

    fileprivate var isNumber: Bool { if case .text = self { false } else { true } }
}
