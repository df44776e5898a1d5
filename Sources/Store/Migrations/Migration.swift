/// One step of the schema, embedded at build time from `migrations/`.
package struct Migration: Sendable, Equatable {
    package let number: Int
    package let name: String
    package let sql: String
}
