/// One SQL statement from `Queries/`, prepared under its file's name on first use of each connection.
package struct Query: Sendable, Hashable {
    package let name: String
    package let sql: String

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    package static func == (one: Query, other: Query) -> Bool { one.name == other.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
