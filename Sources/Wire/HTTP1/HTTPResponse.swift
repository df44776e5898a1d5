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

    /// The phrase registered for a status; empty for those we never send, as RFC 9112 section 4 allows.
    package static func reasonPhrase(_ status: Int) -> StaticString {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400...499: clientErrorPhrase(status)
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }

    private static func clientErrorPhrase(_ status: Int) -> StaticString {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        default: ""
        }
    }
}
