/// The fixed date format of HTTP (RFC 9110 section 5.6.7).
package enum HTTPDate {
    /// `Mon, 30 Nov 2026 05:15:00 GMT` for seconds since 1970.
    package static func text(atUnixSeconds seconds: Int64) -> String { "" }
}
