import Testing

@testable import Wire

@Suite struct HTTPRequestParserTests {
    private static let post =
        "POST /v1/users/b%2Fob/reads?limit=5&q=a+b HTTP/1.1\r\nHost: push.example:8080\r\n"
        + "content-length: 11\r\nX-Two: a\r\nx-two: \t b \t\r\n\r\nhello world"

    @Test func `a whole request is taken apart`() throws {
        let request = try #require(try parse(Self.post))
        #expect(request.method == .post)
        #expect(request.target == "/v1/users/b%2Fob/reads?limit=5&q=a+b")
        #expect(request.path == "/v1/users/b%2Fob/reads")
        #expect(request.pathSegments == ["v1", "users", "b/ob", "reads"])
        #expect(request.query["limit"] == "5")
        #expect(request.query["q"] == "a b")
        #expect(request.headers["HOST"] == "push.example:8080")
        #expect(request.headers.values("X-TWO") == ["a", "b"])
        #expect(request.body == Array("hello world".utf8))
        #expect(request.keepsAlive)
    }

    @Test func `a request comes out the same however its bytes are split`() throws {
        let bytes = Array((Self.post + Self.chunked).utf8)
        for split in 0...bytes.count {
            var parser = HTTPRequestParser()
            parser.append(bytes[..<split])
            var bodies: [[UInt8]] = []
            while let request = try parser.next() { bodies.append(request.body) }
            parser.append(bytes[split...])
            while let request = try parser.next() { bodies.append(request.body) }
            #expect(bodies == [Array("hello world".utf8), Array("hello world".utf8)], "split at \(split)")
            #expect(!parser.isMidRequest)
        }
    }

    @Test func `bytes may come one by one`() throws {
        var parser = HTTPRequestParser()
        var requests = 0
        for byte in Array((Self.post + Self.chunked + Self.post).utf8) {
            parser.append([byte])
            if try parser.next() != nil { requests += 1 }
        }
        #expect(requests == 3)
    }

    private static let chunked =
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n6\r\n world\r\n"
        + "0\r\nX-Sum: 1\r\n\r\n"

    @Test func `pipelined requests stay apart and the rest is handed over`() throws {
        var parser = HTTPRequestParser()
        parser.append(
            Array("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n\u{1}\u{2}".utf8))
        #expect(try parser.next()?.pathSegments == ["a"])
        #expect(parser.isMidRequest)
        #expect(try parser.next()?.pathSegments == ["b"])
        #expect(parser.takeRemainder() == [1, 2])
        #expect(parser.bufferedByteCount == 0)
    }

    @Test(arguments: [
        (
            "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            HTTPParseError.badContentLength
        ),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3, 3\r\n\r\nabc", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: +3\r\n\r\nabc", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x3\r\n\r\nabc", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", .bodyTooLarge),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n", .bodyTooLarge),
        (
            "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            .conflictingFraming
        ),
        (
            "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            .conflictingFraming
        ),
        ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .conflictingFraming),
        (
            "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            .unsupportedTransferEncoding
        ),
        ("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n", .unsupportedTransferEncoding),
        ("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n", .malformedHeader),
        ("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n", .malformedHeader),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n", .malformedHeader),
        ("GET / HTTP/1.1\r\n Host: h\r\n\r\n", .malformedHeader),
        ("GET / HTTP/1.1\r\nHost: h\r\n: a\r\n\r\n", .malformedHeader),
        ("GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", .malformedHeader),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n", .malformedHeader),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\u{7F}b\r\n\r\n", .malformedHeader),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n", .bareLineBreak),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\nb: c\r\n\r\n", .bareLineBreak),
        ("GET / HTTP/1.1\nHost: h\n\n", .bareLineBreak),
        ("GET / HTTP/1.1\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .badHost),
        ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", .unsupportedVersion),
        ("GET / HTTP/1.2\r\nHost: h\r\n\r\n", .unsupportedVersion),
        ("GET / http/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GET / HTTP/1.1 \r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GET / HTTP/1.10\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GET /\u{E9} HTTP/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GET /#a HTTP/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GET /\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("G\u{1}T / HTTP/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GE(T / HTTP/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        (" GET / HTTP/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", .malformedStartLine),
        ("GET a HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET * HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET http:///a HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET http://u@h/a HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET /%4 HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET /%ff HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET /%c0%80 HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET /%ed%a0%80 HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET /a%00b HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
        ("GET /a?x=%f HTTP/1.1\r\nHost: h\r\n\r\n", .malformedTarget),
    ])
    func `what two parsers could read differently is refused`(text: String, error: HTTPParseError) {
        #expect(throws: error) { try parse(text) }
        let bytes = Array(text.utf8)
        #expect(throws: error) {
            var parser = HTTPRequestParser()
            for byte in bytes {
                parser.append([byte])
                _ = try parser.next()
            }
        }
    }

    @Test(arguments: [
        "5 \r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
        "-5\r\nhello\r\n0\r\n\r\n",
        "5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n",
        "5;a\u{1}\r\nhello\r\n0\r\n\r\n",
        "fffffffffffffffff\r\n", "5\r\nhello\r\n0\r\nbad trailer\r\n\r\n",
        "5\r\nhello\r\n0\r\n folded: x\r\n\r\n",
        "100001\r\n", "5\r\nhello\r\n100000\r\n", "5;\(String(repeating: "x", count: 300))\r\nhello\r\n",
        "0\r\n\(String(repeating: "x: y\r\n", count: 101))\r\n",
        "\(String(repeating: "1;\(String(repeating: "x", count: 200))\r\na\r\n", count: 90))0\r\n\r\n",
    ])
    func `a bad chunked body is refused`(body: String) {
        #expect(throws: HTTPParseError.self) {
            try parse("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        }
    }

    @Test(
        arguments: [
            [0x16, 0x03, 0x01, 0x02, 0x00], Array("GET / HTTP/1.1\rHost: h".utf8), [0x00],
            Array("GET / HT\u{1}".utf8),
        ] as [[UInt8]])
    func `what is no text is refused before its line ends`(bytes: [UInt8]) {
        var whole = HTTPRequestParser()
        whole.append(bytes)
        #expect(throws: HTTPParseError.malformedStartLine) { try whole.next() }
        var byByte = HTTPRequestParser()
        #expect(throws: HTTPParseError.malformedStartLine) {
            for byte in bytes {
                byByte.append([byte])
                _ = try byByte.next()
            }
        }
    }

    @Test(arguments: [
        ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//", ["", ""]), ("/a%2fb/..", ["a/b", ".."]),
        ("/%E4%BD%A0", ["你"]), ("http://h:80/a/b", ["a", "b"]), ("HTTP://h", []), ("https://h?x", []),
        ("/+", ["+"]),
    ])
    func `a target has the segments it names`(target: String, segments: [String]) throws {
        #expect(try parse("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")?.pathSegments == segments)
    }

    @Test func `limits are exact`() throws {
        let limits = HTTPLimits(startLineBytes: 20, headerBytes: 20, headerCount: 2, bodyBytes: 4)
        let line = "GET /aaaaaa HTTP/1.1"
        #expect(try parse("\(line)\r\nHost: h\r\n\r\n", limits) != nil)
        #expect(throws: HTTPParseError.startLineTooLong) {
            try parse("GET /aaaaaaa HTTP/1.1\r\nHost: h\r\n\r\n", limits)
        }
        #expect(throws: HTTPParseError.startLineTooLong) {
            try parse(String(repeating: "A", count: 23), limits)
        }
        #expect(try parse("\(line)\r\nHost: h\r\nX: 345678\r\n\r\n", limits) != nil)
        #expect(throws: HTTPParseError.headersTooLarge) {
            try parse("\(line)\r\nHost: h\r\nX: 3456789\r\n\r\n", limits)
        }
        #expect(throws: HTTPParseError.headersTooLarge) {
            try parse("\(line)\r\nHost: h\r\n\(String(repeating: "A", count: 30))", limits)
        }
        #expect(throws: HTTPParseError.headersTooLarge) {
            try parse("\(line)\r\nHost:h\r\nA:\r\nB:\r\n\r\n", limits)
        }
    }

    @Test func `an error stays`() {
        var parser = HTTPRequestParser()
        parser.append(Array("nonsense\r\n\r\n".utf8))
        #expect(throws: HTTPParseError.malformedStartLine) { try parser.next() }
        parser.append(Array(Self.post.utf8))
        #expect(throws: HTTPParseError.malformedStartLine) { try parser.next() }
    }

    @Test func `a request that waits to continue says so once`() throws {
        var parser = HTTPRequestParser()
        parser.append(
            Array("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".utf8))
        #expect(try parser.next() == nil)
        let asks = [parser.takeExpectsContinue(), parser.takeExpectsContinue()]
        #expect(asks == [true, false])
        parser.append(Array("ok".utf8))
        #expect(try parser.next()?.body == Array("ok".utf8))
    }

    @Test(arguments: [
        ("HTTP/1.1\r\nHost: h\r\n", true), ("HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n", false),
        ("HTTP/1.0\r\n", false), ("HTTP/1.0\r\nConnection: Keep-Alive\r\n", true),
    ])
    func `the connection is kept as version and field say`(rest: String, keeps: Bool) throws {
        #expect(try parse("GET / \(rest)\r\n")?.keepsAlive == keeps)
    }

    @Test func `one blank line before a request is skipped`() throws {
        #expect(try parse("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n") != nil)
    }

    @Test func `corrupt bytes never trap`() {
        var random = SplitMix(seed: 7)
        let sample = Array((Self.post + Self.chunked).utf8)
        for _ in 0..<20_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            var parser = HTTPRequestParser()
            parser.append(bytes)
            while let request = try? parser.next() { #expect(request.body.count <= bytes.count) }
        }
    }
}

private func parse(_ text: String, _ limits: HTTPLimits = HTTPLimits()) throws -> HTTPRequest? {
    var parser = HTTPRequestParser(limits: limits)
    parser.append(Array(text.utf8))
    return try parser.next()
}
