/// One step of the schema, seen from this program and from the database.
package struct MigrationStatus: Sendable, Equatable {
    package enum State: String, Sendable {
        case applied
        case pending
        /// Applied with another text than this program has.
        case changed
        /// In the database only: it was made by a newer program.
        case unknown
    }

    package let number: Int
    package let name: String
    package let state: State
}

/// Why the schema is not that of this program.
package enum MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
    case database(DatabaseError)
    case databaseIsNewer(number: Int, name: String)
    case changed(number: Int, name: String)
    case failed(number: Int, name: String, DatabaseError)

    package var description: String {
        switch self {
        case .database(let error): "the database did not answer: \(error)"
        case .databaseIsNewer(let number, let name):
            "the database has migration \(number) (\(name)), which this program does not know: use a newer rouse"
        case .changed(let number, let name):
            "migration \(number) (\(name)) was applied with another text than this program has"
        case .failed(let number, let name, let error): "migration \(number) (\(name)) failed: \(error)"
        }
    }
}
