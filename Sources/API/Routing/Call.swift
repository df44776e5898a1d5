package import Domain
package import Wire

/// A request that found its route.
package struct Call: Sendable {
    package let request: HTTPRequest
    /// What stands at the pattern's `{…}`, in order.
    package let parameters: [String]
    /// When it came.
    package let now: Moment
    /// What its body is, for a route that takes one.
    let mediaType: MediaType

    /// An id of the path.
    func identifier<Kind>(_ index: Int, _ path: StaticString) throws(Problem) -> Identifier<Kind> {
        try Self.identifier(parameters[index], path)
    }

    /// An id of the query; nil if it is left out.
    func identifier<Kind>(query name: String, _ path: StaticString) throws(Problem) -> Identifier<Kind>? {
        guard let text = request.query[name] else { return nil }
        return try Self.identifier(text, path)
    }

    func whole(query name: String, _ path: StaticString, _ range: ClosedRange<Int64>) throws(Problem)
        -> Int64?
    {
        guard let text = request.query[name] else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let value = Int64(text) else {
            throw Problem(.wrongType, "\(path) must be a whole number.")
        }
        guard range.contains(value) else {
            throw .invalid(path, "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private static func identifier<Kind>(
        _ text: String, _ path: StaticString
    ) throws(Problem) -> Identifier<Kind> {
        guard TextLimits.isValidID(text) else {
            throw .invalid(path, "must be 1 to \(TextLimits.idBytes) bytes without control characters")
        }
        return Identifier(text)
    }
}
