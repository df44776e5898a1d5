/// Writes responses as HTTP/1.1.
package enum HTTPResponseEncoder {
    /// Appends a whole response. `date` is an IMF-fixdate made by the caller once a second
    /// (`HTTPDate.text(atUnixSeconds:)`); for HEAD the length is told and the body left out.
    package static func encode(
        _ response: HTTPResponse, date: String, keepAlive: Bool, isHead: Bool = false,
        into output: inout [UInt8]
    ) {
        let hasBody = allowsBody(response.status)
        output.reserveCapacity(output.count + 192 + response.headers.bytes.count + response.body.count)
        appendStatusLine(response.status, to: &output)
        response.headers.append(to: &output)
        append("Date: ", date, to: &output)
        if hasBody {
            append("Content-Length: ", to: &output)
            DecimalText.append(UInt64(response.body.count), to: &output)
            append("\r\n", to: &output)
        }
        append(keepAlive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n", to: &output)
        if hasBody, !isHead { output.append(contentsOf: response.body) }
    }

    /// Appends the head of a response whose body follows in chunks (server-sent events).
    package static func encodeStreamHead(
        status: Int, headers: HTTPHeaders, date: String, into output: inout [UInt8]
    ) {
        appendStatusLine(status, to: &output)
        headers.append(to: &output)
        append("Date: ", date, to: &output)
        append("Transfer-Encoding: chunked\r\n\r\n", to: &output)
    }

    /// Appends one chunk; empty input appends nothing, since an empty chunk would end the body.
    package static func encodeChunk(_ bytes: [UInt8], into output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.append(contentsOf: String(bytes.count, radix: 16).utf8)
        append("\r\n", to: &output)
        output.append(contentsOf: bytes)
        append("\r\n", to: &output)
    }

    /// Appends the end of a chunked body.
    package static func encodeLastChunk(into output: inout [UInt8]) { append("0\r\n\r\n", to: &output) }

    /// Appends a bare interim or switching response (100, 101) with its fields.
    package static func encodeInterim(status: Int, headers: HTTPHeaders, into output: inout [UInt8]) {
        appendStatusLine(status, to: &output)
        headers.append(to: &output)
        append("\r\n", to: &output)
    }

    /// 1xx, 204 and 304 never have a body, and the first two no length either (RFC 9110 section 8.6).
    private static func allowsBody(_ status: Int) -> Bool {
        status >= 200 && status != 204 && status != 304
    }

    private static func appendStatusLine(_ status: Int, to output: inout [UInt8]) {
        append("HTTP/1.1 ", to: &output)
        DecimalText.append(UInt64(status.magnitude), to: &output)
        output.append(ASCII.space)
        append(HTTPResponse.reasonPhrase(status), to: &output)
        append("\r\n", to: &output)
    }

    private static func append(_ name: StaticString, _ value: String, to output: inout [UInt8]) {
        append(name, to: &output)
        output.append(contentsOf: value.utf8)
        append("\r\n", to: &output)
    }

    private static func append(_ text: StaticString, to output: inout [UInt8]) {
        StaticText.append(text, to: &output)
    }
}

extension HTTPHeaders {
    /// Appends the lines as `Name: value` CRLF.
    func append(to output: inout [UInt8]) {
        for field in fields {
            output.append(contentsOf: bytes[Self.name(field)])
            output.append(ASCII.colon)
            output.append(ASCII.space)
            output.append(contentsOf: bytes[Self.value(field)])
            output.append(ASCII.carriageReturn)
            output.append(ASCII.lineFeed)
        }
    }
}
