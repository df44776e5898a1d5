/// RFC 3339 timestamps in UTC and milliseconds since 1970, each from the other.
package enum Timestamp {
    /// `2026-11-30T08:00:00.000Z`; milliseconds always, so that texts sort like times.
    package static func text(millisecondsSince1970: Int64) -> String { "" }

    /// Appends the text without making a `String`.
    package static func append(millisecondsSince1970: Int64, to bytes: inout [UInt8]) {}

    /// Reads a timestamp with any offset; digits beyond milliseconds are dropped. Nil if it is malformed or
    /// no such date exists.
    package static func milliseconds(parsing text: String) -> Int64? { nil }
}
