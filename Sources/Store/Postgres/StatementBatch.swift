/// Statements that go to the server in one flush and are answered in one go.
///
/// As a `.transaction` they take effect together or not at all: `begin` and `commit` are put around them. As
/// a `.pipeline` (reads, and writes of one statement) the server runs them without the two extra messages; a
/// failing statement then still undoes the ones before it, because all lie before one sync point.
package struct StatementBatch: Sendable {
    package enum Scope: Sendable { case transaction, pipeline }

    struct Step: Sendable {
        let query: Query
        let parameters: Range<Int>
    }

    package let scope: Scope
    private(set) var steps: [Step] = []
    private(set) var parameters = ParameterWriter()

    package init(_ scope: Scope = .pipeline) {
        self.scope = scope
    }

    package var isEmpty: Bool { steps.isEmpty }
    /// The size of the parameters, for the caller that caps its batches.
    package var byteCount: Int { parameters.bytes.count }

    /// Appends one statement; `encode` writes `$1, $2, …` in order.
    package mutating func add(_ query: Query, _ encode: (inout ParameterWriter) -> Void = { _ in }) {
        let first = parameters.places.count
        encode(&parameters)
        steps.append(Step(query: query, parameters: first..<parameters.places.count))
    }

    /// Empties the batch and keeps its buffers.
    package mutating func removeAll() {
        steps.removeAll(keepingCapacity: true)
        parameters.removeAll()
    }
}
