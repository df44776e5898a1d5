/// How much a line matters.
package enum LogLevel: Int, Comparable, CaseIterable, Sendable {
    case debug, info, warning, error

    package var word: StaticString {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The level of a word from the configuration.
    package init?(_ word: String) {
        guard let level = Self.allCases.first(where: { "\($0.word)" == word }) else { return nil }
        self = level
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Writes one JSON object per line: time, level, a message known when the code was written, and fields.
///
/// Where lines go and what time it is are the program's to say; both are called on the caller's thread.
package struct Logger: Sendable {
    package let level: LogLevel
    private let timestamp: @Sendable () -> String
    private let sink: @Sendable ([UInt8]) -> Void

    /// `timestamp` answers with RFC 3339 text; `sink` takes a whole line, newline included.
    package init(
        level: LogLevel = .info, timestamp: @escaping @Sendable () -> String,
        sink: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.level = level
        self.timestamp = timestamp
        self.sink = sink
    }

    /// Writes nothing.
    package static let silent = Logger(timestamp: { "" }, sink: { _ in })

    package func debug(_ message: StaticString, _ fields: LogField...) { log(.debug, message, fields) }
    package func info(_ message: StaticString, _ fields: LogField...) { log(.info, message, fields) }
    package func warning(_ message: StaticString, _ fields: LogField...) { log(.warning, message, fields) }
    package func error(_ message: StaticString, _ fields: LogField...) { log(.error, message, fields) }

    private func log(_ level: LogLevel, _ message: StaticString, _ fields: [LogField]) {
        guard level >= self.level else { return }
        var line = LogLine()
        line.member("time", timestamp())
        line.member("level", "\(level.word)")
        line.member("message", "\(message)")
        for field in fields { line.member(field) }
        sink(line.finish())
    }
}

/// A line being put together.
private struct LogLine {
    /// Longer values are cut: an id has 128 bytes at most.
    private static let valueBytes = 512

    private var bytes: [UInt8] = []

    mutating func member(_ field: LogField) {
        switch field.value {
        case .id(let id): member("\(field.name)", id)
        case .word(let word): member("\(field.name)", "\(word)")
        case .number(let number): raw("\(field.name)", String(number))
        case .flag(let flag): raw("\(field.name)", flag ? "true" : "false")
        }
    }

    mutating func member(_ name: String, _ value: String) {
        key(name)
        bytes.append(UInt8(ascii: "\""))
        for byte in Self.cut(value) { escape(byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func finish() -> [UInt8] { bytes + Array("}\n".utf8) }

    private mutating func raw(_ name: String, _ value: String) {
        key(name)
        bytes.append(contentsOf: value.utf8)
    }

    private mutating func key(_ name: String) {
        bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        bytes.append(contentsOf: "\"\(name)\":".utf8)
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0..<0x20, 0x7f: bytes.append(UInt8(ascii: " "))
        default: bytes.append(byte)
        }
    }

    private static func cut(_ text: String) -> Substring.UTF8View {
        guard text.utf8.count > valueBytes else { return text[...].utf8 }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: valueBytes)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return text[..<end].utf8
    }
}
