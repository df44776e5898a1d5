import Domain
import Engine
import Testing

@testable import API

@Suite("Reading lines of messages")
struct MessageLinesTests {
    private func line(_ id: String) -> String {
        #"{"message_id":"\#(id)","conversation":{"id":"c","kind":"direct"},"#
            + #""sender":{"user":"a"},"recipients":["b"]}"#
    }

    @Test func `a bad line does not spoil the others`() throws {
        let body =
            [line("m1"), #"{"message_id":"m2"}"#, "garbage", "", line("m3")].joined(separator: "\r\n") + "\n"
        let lines = try MessageLines(parsing: Array(body.utf8))
        #expect(lines.messages.map(\.id.text) == ["m1", "m3"])
        #expect(lines.lines.count == 4)
        guard case .problem(let problem, let id) = lines.lines[1] else { return #expect(Bool(false)) }
        #expect(problem.code == .missingField && id == "m2")
    }

    @Test func `answers keep the order of the lines`() throws {
        let body = [line("m1"), "garbage", line("m2"), line("m3"), line("m4")].joined(separator: "\n")
        let lines = try MessageLines(parsing: Array(body.utf8))
        let bytes = LineAnswer.write(
            lines,
            [
                .accepted(isDuplicate: false, recipients: 1, tasks: 1), .refused(.unavailable), .blocked,
                .refused(.conflict),
            ])
        let answers = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(answers.count == 5)
        #expect(answers[0] == #"{"message_id":"m1","status":202,"duplicate":false,"recipients":1,"tasks":1}"#)
        #expect(answers[1].hasPrefix(#"{"message_id":null,"status":400,"code":"malformed_json","#))
        #expect(
            answers[2].contains(#""status":503,"code":"unavailable""#)
                && answers[2].contains(#""retryable":true"#))
        #expect(answers[3].contains(#""code":"blocked""#) && answers[3].contains(#""retryable":true"#))
        #expect(answers[4].contains(#""status":409"#) && answers[4].contains(#""retryable":false"#))
    }

    @Test func `1,000 lines pass and one more does not`() throws {
        let many = Array(repeating: line("m"), count: 1_000).joined(separator: "\n")
        #expect(try MessageLines(parsing: Array(many.utf8)).lines.count == 1_000)
        #expect(throws: Problem.self) { try MessageLines(parsing: Array((many + "\n" + line("m")).utf8)) }
    }

    @Test func `a body without a line is refused`() {
        #expect(throws: Problem.self) { try MessageLines(parsing: Array("\n \r\n".utf8)) }
    }
}
