/// Percent-encoding of URI parts (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Decodes one part; nil for a broken escape, for bytes that are not UTF-8 and for NUL.
    package static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? { nil }

    /// Encodes everything but the unreserved characters, fit for a path segment or a query value.
    package static func encode(_ text: String) -> String { "" }
}
