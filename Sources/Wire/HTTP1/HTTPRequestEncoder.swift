/// Writes a client's requests as HTTP/1.1.
package enum HTTPRequestEncoder {
    /// Appends a request; `Host` comes from `host` and `Content-Length` from the body.
    package static func encode(
        method: HTTPMethod, target: String, host: String, headers: HTTPHeaders, body: [UInt8],
        into output: inout [UInt8]
    ) {}
}
