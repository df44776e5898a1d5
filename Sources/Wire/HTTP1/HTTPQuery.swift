/// The decoded parameters of a query, in order.
package struct HTTPQuery: Sendable, Equatable {
    /// One `name=value`; a name without `=` has an empty value.
    package struct Parameter: Sendable, Equatable {
        /// The decoded name.
        package var name: String
        /// The decoded value; `+` stands for a space.
        package var value: String
    }

    /// The parameters in order, repeats kept.
    package private(set) var parameters: [Parameter]

    /// A query of given parameters.
    package init(_ parameters: [Parameter] = []) { self.parameters = parameters }

    /// The first value of a name, or nil.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Whether there are no parameters.
    package var isEmpty: Bool { parameters.isEmpty }
}
