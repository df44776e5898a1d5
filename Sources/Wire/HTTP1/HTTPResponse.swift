/// A response with a whole body.
package struct HTTPResponse: Sendable {
    /// The status code.
    package var status: Int
    /// Fields other than `Date`, `Content-Length`, `Connection`, which the encoder writes.
    package var headers: HTTPHeaders
    /// The body.
    package var body: [UInt8]

    /// A response; `contentType` is added as a field if given.
    package init(
        status: Int, contentType: String? = nil, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        if let contentType { self.headers.add("Content-Type", contentType) }
    }
}
