import Testing

@testable import Wire

@Suite struct HTTPResponseTests {
    private static let date = "Mon, 30 Nov 2026 05:15:00 GMT"

    @Test func `a response is written whole`() {
        var bytes: [UInt8] = []
        let response = HTTPResponse(
            status: 429, contentType: "text/plain", headers: ["Retry-After": "3\r\nX: y"],
            body: Array("slow".utf8))
        HTTPResponseEncoder.encode(response, date: Self.date, keepAlive: true, into: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3  X: y\r\nContent-Type: text/plain\r\n"
                + "Date: \(Self.date)\r\nContent-Length: 4\r\nConnection: keep-alive\r\n\r\nslow")
    }

    @Test(arguments: [(204, false, true), (200, true, true), (304, false, false)])
    func `some answers have no body`(
        status: Int, isHead: Bool, keepAlive: Bool
    ) throws {
        var bytes: [UInt8] = []
        HTTPResponseEncoder.encode(
            HTTPResponse(status: status, body: [1, 2]), date: Self.date, keepAlive: keepAlive, isHead: isHead,
            into: &bytes)
        var parser = HTTPResponseParser()
        parser.append(bytes)
        let response = try #require(try parser.next(toHead: isHead))
        #expect(response.body == [])
        #expect(response.headers["Content-Length"] == (isHead ? "2" : nil))
        #expect(parser.keepsAlive == keepAlive)
        #expect(parser.takeRemainder() == [])
    }

    @Test func `responses come out the same however their bytes are split`() throws {
        var bytes: [UInt8] = []
        HTTPResponseEncoder.encodeInterim(status: 100, headers: [:], into: &bytes)
        HTTPResponseEncoder.encode(
            HTTPResponse(status: 202, body: Array("one".utf8)), date: Self.date, keepAlive: true, into: &bytes
        )
        HTTPResponseEncoder.encodeStreamHead(status: 200, headers: [:], date: Self.date, into: &bytes)
        HTTPResponseEncoder.encodeChunk(Array("tw".utf8), into: &bytes)
        HTTPResponseEncoder.encodeChunk([], into: &bytes)
        HTTPResponseEncoder.encodeChunk(Array("o".utf8), into: &bytes)
        HTTPResponseEncoder.encodeLastChunk(into: &bytes)
        bytes += Array("HTTP/1.0 200\r\n\r\nthree".utf8)
        for split in 0...bytes.count {
            var parser = HTTPResponseParser()
            var seen: [String] = []
            for part in [bytes[..<split], bytes[split...]] {
                parser.append(part)
                while let response = try parser.next() {
                    seen.append(String(decoding: response.body, as: UTF8.self))
                }
            }
            let last = try #require(try parser.finish())
            #expect(
                seen + [String(decoding: last.body, as: UTF8.self)] == ["one", "two", "three"], "at \(split)")
            #expect(!parser.keepsAlive)
            #expect(try parser.finish() == nil)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 20 OK\r\n\r\n", HTTPParseError.malformedStartLine),
        ("HTTP/1.1 099 x\r\n\r\n", .malformedStartLine),
        ("HTTP/1.1  200 OK\r\n\r\n", .malformedStartLine), ("HTTP/1.1 2000\r\n\r\n", .malformedStartLine),
        ("HTP/1.1 200 OK\r\n\r\n", .malformedStartLine), ("HTTP/3.0 200 OK\r\n\r\n", .unsupportedVersion),
        ("\r\nx\r\n\r\n", .malformedStartLine),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .badContentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .conflictingFraming),
        ("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", .bodyTooLarge),
        ("HTTP/1.1 200 OK\r\n\r\n12345678901", .bodyTooLarge),
    ])
    func `a bad answer is refused`(text: String, error: HTTPParseError) {
        var parser = HTTPResponseParser(limits: HTTPLimits(bodyBytes: 10))
        parser.append(Array(text.utf8))
        #expect(throws: error) { try parser.next() }
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfour"])
    func `a connection that ends too early is told`(text: String) throws {
        var parser = HTTPResponseParser()
        parser.append(Array(text.utf8))
        #expect(try parser.next() == nil)
        #expect(throws: HTTPParseError.truncated) { try parser.finish() }
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_796_015_700, "Mon, 30 Nov 2026 05:15:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `dates are in the fixed format`(seconds: Int64, text: String) {
        #expect(HTTPDate.text(atUnixSeconds: seconds) == text)
    }

    @Test func `a client's request is read by the server`() throws {
        var bytes: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: .post, target: "/a/" + PercentEncoding.encode("b/ö +~"), host: "h:1", headers: ["X": "y"],
            body: [7], into: &bytes)
        var parser = HTTPRequestParser()
        parser.append(bytes)
        let request = try #require(try parser.next())
        #expect(request.pathSegments == ["a", "b/ö +~"])
        #expect(request.target == "/a/b%2F%C3%B6%20%2B~")
        #expect(request.body == [7])
        #expect(request.headers.map(\.name) == ["Host", "Content-Length", "X"])
    }
}
