import Domain
import Wire

/// Reading of request fields: each either has its type or names itself in a problem.
extension JSONNode {
    /// Nil for `null`, which stands for a field left out.
    var present: JSONNode? { isNull ? nil : self }

    func object(_ path: StaticString) throws(Problem) -> JSONNode {
        guard kind == .object else { throw .wrongType(path, "an object") }
        return self
    }

    func text(_ path: StaticString, upTo limit: Int) throws(Problem) -> String {
        guard let text = string else { throw .wrongType(path, "a string") }
        guard text.utf8.count <= limit else { throw .tooLong(path, limit) }
        return text
    }

    /// As `text`, of what is kept as it came.
    func checkText(_ path: StaticString, upTo limit: Int) throws(Problem) {
        guard let count = stringByteCount else { throw .wrongType(path, "a string") }
        guard count <= limit else { throw .tooLong(path, limit) }
    }

    /// Text that goes into a column of the database, which cannot hold U+0000.
    func name(_ path: StaticString, upTo limit: Int) throws(Problem) -> String {
        let text = try text(path, upTo: limit)
        guard !text.utf8.contains(0) else { throw .invalid(path, "may not contain U+0000") }
        return text
    }

    func identifier<Kind>(_ path: StaticString) throws(Problem) -> Identifier<Kind> {
        guard let text = string else { throw .wrongType(path, "a string") }
        guard TextLimits.isValidID(text) else {
            throw .invalid(path, "must be 1 to \(TextLimits.idBytes) bytes without control characters")
        }
        return Identifier(text)
    }

    func flag(_ path: StaticString) throws(Problem) -> Bool {
        guard let flag = bool else { throw .wrongType(path, "true or false") }
        return flag
    }

    func whole(_ path: StaticString, _ range: ClosedRange<Int64>) throws(Problem) -> Int64 {
        guard kind == .number else { throw .wrongType(path, "a whole number") }
        guard let value = integer else { throw .invalid(path, "must be a whole number of 64 bits") }
        guard range.contains(value) else {
            throw .invalid(path, "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func time(_ path: StaticString) throws(Problem) -> WallTime {
        let text = try text(path, upTo: 64)
        guard let milliseconds = Timestamp.milliseconds(parsing: text) else {
            throw .invalid(path, "must be a time of RFC 3339")
        }
        return WallTime(milliseconds: milliseconds)
    }

    func list(_ path: StaticString) throws(Problem) -> JSONElements {
        guard kind == .array else { throw .wrongType(path, "an array") }
        return elements
    }
}

extension JSONDocument {
    /// A request's body: one object.
    static func object(parsing body: [UInt8]) throws(Problem) -> JSONNode {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: body)
        } catch {
            throw Problem(.malformedJSON, "\(error).")
        }
        return try document.root.object("The body")
    }
}

extension Problem {
    fileprivate static func tooLong(_ path: StaticString, _ limit: Int) -> Problem {
        .invalid(path, "is longer than \(limit) bytes")
    }
}
