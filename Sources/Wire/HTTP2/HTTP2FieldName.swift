/// The lower-case name of an HTTP/2 field, as bytes made once; keep names in `static let`s on a hot path.
package struct HTTP2FieldName: Hashable, Sendable, ExpressibleByStringLiteral {
    package let bytes: [UInt8]

    package init(_ name: some Sequence<UInt8>) { bytes = Array(name) }
    package init(stringLiteral name: StaticString) { bytes = Array(name.description.utf8) }

    package static let method: HTTP2FieldName = ":method"
    package static let scheme: HTTP2FieldName = ":scheme"
    package static let authority: HTTP2FieldName = ":authority"
    package static let path: HTTP2FieldName = ":path"
    package static let status: HTTP2FieldName = ":status"
    package static let authorization: HTTP2FieldName = "authorization"
    package static let contentType: HTTP2FieldName = "content-type"
    package static let contentLength: HTTP2FieldName = "content-length"
    package static let retryAfter: HTTP2FieldName = "retry-after"
    package static let userAgent: HTTP2FieldName = "user-agent"
}

/// What the header compressor may remember of a field (RFC 7541 §6.2).
package enum HTTP2Indexing: UInt8, Sendable {
    /// The compressor decides: `:path`, `authorization` and short cookies stay out
    /// of the dynamic table, any other field not seen before enters it.
    case automatic
    /// Sent literally, entered in no table here or on the way: for
    /// secrets, and for values that do not come again.
    case neverIndexed
}
