/// Writes a client's requests as HTTP/1.1.
package enum HTTPRequestEncoder {
    /// Appends a request; `Host` comes from `host` and `Content-Length` from the body, which every method but
    /// GET, HEAD and DELETE tells even when empty.
    package static func encode(
        method: HTTPMethod, target: String, host: String, headers: HTTPHeaders, body: [UInt8],
        into output: inout [UInt8]
    ) {
        precondition(target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a target is visible ASCII")
        output.append(contentsOf: "\(method.text) \(target) HTTP/1.1\r\n".utf8)
        var own = HTTPHeaders()
        own.add("Host", host)
        if tellsLength(method) || !body.isEmpty { own.add("Content-Length", String(body.count)) }
        own.append(to: &output)
        headers.append(to: &output)
        output.append(ASCII.carriageReturn)
        output.append(ASCII.lineFeed)
        output.append(contentsOf: body)
    }

    private static func tellsLength(_ method: HTTPMethod) -> Bool {
        switch method {
        case .get, .head, .delete, .options: false
        default: true
        }
    }
}
