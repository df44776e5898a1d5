/// The decoded parameters of a query, in order.
package struct HTTPQuery: Sendable, Equatable {
    /// One `name=value`; a name without `=` has an empty value.
    package struct Parameter: Sendable, Equatable {
        /// The decoded name.
        package var name: String
        /// The decoded value; `+` stands for a space.
        package var value: String

        /// A parameter of given texts, decoded.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The parameters in order, repeats kept.
    package private(set) var parameters: [Parameter]

    /// A query of given parameters.
    package init(_ parameters: [Parameter] = []) { self.parameters = parameters }

    /// The part of a target behind `?`, also the body of a form; empty pieces between `&` are skipped.
    package init(parsing bytes: ArraySlice<UInt8>) throws(HTTPParseError) {
        self.parameters = []
        for piece in bytes.split(separator: ASCII.ampersand) {
            let name = piece.prefix { $0 != ASCII.equals }
            guard let decodedName = PercentEncoding.decode(name, plusIsSpace: true),
                let decodedValue = PercentEncoding.decode(
                    piece[name.endIndex...].dropFirst(), plusIsSpace: true)
            else { throw .malformedTarget }
            parameters.append(Parameter(name: decodedName, value: decodedValue))
        }
    }

    /// The first value of a name, or nil.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Whether there are no parameters.
    package var isEmpty: Bool { parameters.isEmpty }
}
