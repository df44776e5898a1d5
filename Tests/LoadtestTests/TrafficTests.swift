import Testing
import Wire

@testable import RouseLoadtest

@Suite struct TrafficTests {
    private static let answers = Array(
        """
        HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\ncontent-length: 7\r\n\r\n{"a":1}\
        HTTP/1.1 503 Service Unavailable\r\nContent-Length:0\r\nRetry-After: 1\r\n\r\n\
        HTTP/1.1 204 No Content\r\n\r\n
        """.utf8)

    @Test func `answers are found wherever the bytes are split`() throws {
        for split in 0...Self.answers.count {
            var scanner = AnswerScanner()
            var found: [AnswerScanner.Answer] = []
            for part in [Self.answers[..<split], Self.answers[split...]] {
                scanner.append(part)
                while let answer = try scanner.next() { found.append(answer) }
            }
            #expect(found.map(\.status) == [202, 503, 204])
            #expect(found.map { Array($0.body) } == [Array(#"{"a":1}"#.utf8), [], []])
        }
    }

    @Test(arguments: ["garbage\r\n\r\n and more bytes", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"])
    func `what is no answer is refused`(text: String) {
        var scanner = AnswerScanner()
        scanner.append(Array(text.utf8)[...])
        #expect(throws: LoadtestFailure.self) { try scanner.next() }
    }

    @Test func `a request of the template is one that a server reads`() throws {
        let template = RequestTemplate(
            apiKey: "rk_x", host: "127.0.0.1:1", lines: nil, conversations: .perMessage)
        let root = try body(template.request(first: 1_234_567) { $0 % 1_000 })[0]
        #expect(root["message_id"]?.string == "m-0001234567")
        #expect(root["conversation"]?["id"]?.string == "c-0001234567")
        #expect(root["recipients"]?.elements.map { $0.string } == [LoadTenant.user(567)])
        #expect(root["notification"]?["title"]?.string == "Alice")
    }

    @Test func `lines are numbered on and keep to the user's conversation`() throws {
        let template = RequestTemplate(apiKey: "rk_x", host: "h", lines: 3, conversations: .perUser)
        let roots = try body(template.request(first: 9) { $0 % 10 })
        #expect(roots.map { $0["message_id"]?.string } == ["m-0000000009", "m-0000000010", "m-0000000011"])
        #expect(
            roots.map { $0["conversation"]?["id"]?.string } == [
                "c-0000000009", "c-0000000000", "c-0000000001",
            ])
        #expect(template.messagesPerRequest == 3)
    }

    private func body(_ request: [UInt8]) throws -> [JSONNode] {
        var parser = HTTPRequestParser()
        parser.append(request)
        let parsed = try #require(try parser.next())
        return try parsed.body.split(separator: 0x0a).map { try JSONDocument(parsing: Array($0)).root }
    }
}
