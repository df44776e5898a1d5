import Domain
package import Engine
import Wire

/// The lines of an `application/x-ndjson` body: each a message, or a problem of its own.
package struct MessageLines: Sendable {
    package static let maximumLines = 1_000

    package enum Line: Sendable {
        case message(IncomingMessage)
        /// The id is told if it could be read.
        case problem(Problem, id: String?)
    }

    package let lines: [Line]

    /// Empty lines are skipped.
    ///
    /// - Throws: for the body as a whole: no line, or too many.
    package init(parsing body: [UInt8]) throws(Problem) {
        var lines: [Line] = []
        for line in body.split(separator: UInt8(ascii: "\n")) where !Self.isBlank(line) {
            guard lines.count < Self.maximumLines else {
                throw Problem(.tooManyLines, "A body has up to \(Self.maximumLines) messages.")
            }
            lines.append(Self.read(Array(line)))
        }
        guard !lines.isEmpty else { throw Problem(.missingField, "The body has no message.") }
        self.lines = lines
    }

    /// Those that go to the engine, in order.
    package var messages: [IncomingMessage] {
        lines.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    private static func read(_ line: [UInt8]) -> Line {
        var id: String?
        do throws(Problem) {
            let root = try JSONDocument.object(parsing: line)
            id = root["message_id"]?.string.flatMap { TextLimits.isValidID($0) ? $0 : nil }
            return .message(try MessageReader.message(root))
        } catch {
            return .problem(error, id: id)
        }
    }

    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
    }
}
