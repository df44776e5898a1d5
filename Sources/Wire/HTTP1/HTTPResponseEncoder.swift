/// Writes responses as HTTP/1.1.
package enum HTTPResponseEncoder {
    /// Appends a whole response. `date` is an IMF-fixdate made by the caller once a second
    /// (`HTTPDate.text(atUnixSeconds:)`); for HEAD the length is told and the body left out.
    package static func encode(
        _ response: HTTPResponse, date: String, keepAlive: Bool, isHead: Bool = false,
        into output: inout [UInt8]
    ) {}

    /// Appends the head of a response whose body follows in chunks (server-sent events).
    package static func encodeStreamHead(
        status: Int, headers: HTTPHeaders, date: String, into output: inout [UInt8]
    ) {}

    /// Appends one chunk; empty input appends nothing, since an empty chunk would end the body.
    package static func encodeChunk(_ bytes: [UInt8], into output: inout [UInt8]) {}

    /// Appends the end of a chunked body.
    package static func encodeLastChunk(into output: inout [UInt8]) {}

    /// Appends a bare interim or switching response (100, 101) with its fields.
    package static func encodeInterim(status: Int, headers: HTTPHeaders, into output: inout [UInt8]) {}
}
