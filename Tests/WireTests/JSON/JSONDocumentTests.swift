import Testing

@testable import Wire

@Suite struct JSONDocumentTests {
    private static let message = #"""
        {"message_id": "m-1", "conversation": {"id": "c-1", "kind": "group", "member_count": 12, "e2ee": false},
         "recipients": ["bob", "car\u00f6l", "\ud83d\ude00"], "nothing": null, "ratio": -1.5e3, "big": 9223372036854775807,
         "payload": {"deep": [1, [2, {"x": [] }]], "text": "a\"b\\\/\b\f\n\r\t 你好"}}
        """#

    @Test func `values are read by key, element and kind`() throws {
        let root = try parse(Self.message).root
        #expect(root["message_id"]?.string == "m-1")
        #expect(root["message_id"]?.isString("m-1") == true)
        #expect(root["message_id"]?.integer == nil)
        #expect(root["conversation"]?["kind"]?.string == "group")
        #expect(root["conversation"]?["member_count"]?.integer == 12)
        #expect(root["conversation"]?["e2ee"]?.bool == false)
        #expect(root["recipients"]?.elements.map(\.string) == ["bob", "caröl", "😀"])
        #expect(root["recipients"]?.elements.count == 3)
        #expect(root["nothing"]?.isNull == true)
        #expect(root["ratio"]?.double == -1500)
        #expect(root["ratio"]?.integer == nil)
        #expect(root["big"]?.integer == .max)
        #expect(root["payload"]?["text"]?.string == "a\"b\\/\u{8}\u{C}\n\r\t 你好")
        #expect(root["payload"]?["text"]?.stringBytes == Array("a\"b\\/\u{8}\u{C}\n\r\t 你好".utf8))
        #expect(root["missing"] == nil)
        #expect(root["message_id"]?["x"] == nil)
    }

    @Test func `members and raw bytes are as written`() throws {
        let root = try parse(#"{ "a" : [1, 2 ] ,"b":{"c" :"\u0041"}, "\u0063": 1e5 }"#).root
        #expect(root.members.map(\.key) == ["a", "b", "c"])
        #expect(
            root.members.map { String(decoding: $0.value.rawBytes, as: UTF8.self) } == [
                "[1, 2 ]", #"{"c" :"\u0041"}"#, "1e5",
            ])
        #expect(root["c"]?.double == 100_000)
        #expect(root["a"]?.members.map(\.key) == [])
        #expect(root["b"]?.elements.count == 0)
    }

    @Test func `a key is compared as it reads, not as it is written`() throws {
        let root = try parse(#"{"name":1,"n\u0061me2":2,"nama":3,"":4}"#).root
        let words = root.fields.map { key, _ in
            switch key {
            case "name": "name"
            case "name2": "name2"
            case "": "nothing"
            default: key.text
            }
        }
        #expect(words == ["name", "name2", "nama", "nothing"])
        #expect(root.fields.map(\.value.integer) == [1, 2, 3, 4])
        #expect(root["name"]?.fields.map(\.key.text) == [])
    }

    @Test(arguments: [
        (#""""#, 0), (#""abc""#, 3), (#""ä\n""#, 3), (#""\u00e4""#, 2), ("12", nil), ("null", nil),
    ])
    func `a string's length is that of its text`(text: String, count: Int?) throws {
        #expect(try parse(text).root.stringByteCount == count)
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("-9223372036854775808", Int64.min), ("9223372036854775807", .max),
        ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e2", nil),
        ("123456789012345678901234567890", nil),
    ])
    func `an integer is plain and fits`(text: String, value: Int64?) throws {
        #expect(try parse(text).root.integer == value)
    }

    @Test(arguments: [
        ("1.5", 1.5), ("-0.0", -0.0), ("1E+2", 100), ("1e-2", 0.01), ("1e400", nil), ("12", 12),
    ])
    func `a double is any finite number`(text: String, value: Double?) throws {
        #expect(try parse(text).root.double == value)
    }

    @Test(arguments: [
        ("", "expected a value at byte 0"), ("  ", "expected a value at byte 2"),
        ("{", "expected a key in quotes at byte 1"), ("{\"a\"", "expected ':' at byte 4"),
        (#"{"a":1 "b":2}"#, "expected ',' or '}' at byte 7"),
        (#"{"a":1,}"#, "expected a key in quotes at byte 7"),
        ("[1 2]", "expected ',' or ']' at byte 3"), ("[1,]", "expected a value at byte 3"),
        ("[1", "expected ',' or ']' at byte 2"), ("tru", "expected a value at byte 0"),
        ("nulll", "unexpected text after the value at byte 4"),
        ("1 2", "unexpected text after the value at byte 2"),
        ("01", "unexpected text after the value at byte 1"), ("-", "expected a digit at byte 1"),
        ("1.", "expected a digit at byte 2"), ("1e", "expected a digit at byte 2"),
        (".5", "expected a value at byte 0"),
        ("+1", "expected a value at byte 0"), ("\"a", "string without an end at byte 0"),
        ("\"a\\", "string without an end at byte 2"), ("\"a\nb\"", "control character in a string at byte 2"),
        (#""\x""#, "invalid escape at byte 1"), (#""\u12g4""#, "invalid escape at byte 1"),
        (#""\ud800""#, "lone surrogate in an escape at byte 1"),
        (#""\ud800\u0041""#, "lone surrogate in an escape at byte 1"),
        (#""\udc00""#, "lone surrogate in an escape at byte 1"),
        ("{'a':1}", "expected a key in quotes at byte 1"),
        ("[1] // x", "unexpected text after the value at byte 4"),
        ("\u{FEFF}1", "expected a value at byte 0"),
        ("NaN", "expected a value at byte 0"), ("\0", "expected a value at byte 0"),
        ("1\0", "unexpected text after the value at byte 1"),
        (#"{"a":1,"b":2,"a":3}"#, "duplicate key at byte 13"),
        (#"{"a":1,"\u0061":3}"#, "duplicate key at byte 7"),
        (#"{"":1,"":3}"#, "duplicate key at byte 6"),
    ])
    func `what is no JSON is refused with its place`(text: String, problem: String) {
        do throws(JSONError) {
            _ = try parse(text)
            Issue.record("taken: \(text)")
        } catch {
            #expect(error.description == problem)
        }
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0x80], [0xFF], [0xC2], [0xE1, 0x80], [0xF1, 0x80, 0x80],
            [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONError("invalid UTF-8", byteOffset: 2)) {
            try JSONDocument(parsing: [0x22, 0x61] + bytes + [0x22])
        }
    }

    @Test func `nesting is bounded`() throws {
        let deep = { (levels: Int) in
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try parse(deep(64))
        #expect(throws: JSONError("nesting deeper than 64", byteOffset: 64)) { try parse(deep(65)) }
        #expect(throws: JSONError.self) { try parse(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test func `size is bounded`() {
        #expect(throws: JSONError("text longer than 3 bytes", byteOffset: 3)) {
            try JSONDocument(parsing: Array("1234".utf8), limits: JSONLimits(bytes: 3))
        }
    }

    @Test(arguments: [5, 32, 33, 34, 500]) func `duplicates are found among many keys`(count: Int) throws {
        let members = (0..<count).map { "\"key\($0)\":\($0)" }
        let document = try parse("{" + members.joined(separator: ",") + "}")
        #expect(document.root["key\(count - 1)"]?.integer == Int64(count - 1))
        for index in [0, count / 2, count - 1] {
            let doubled = "{" + (members + ["\"key\(index)\":[]"]).joined(separator: ",") + "}"
            let offset = "{".utf8.count + members.joined(separator: ",").utf8.count + 1
            #expect(throws: JSONError("duplicate key", byteOffset: offset)) { try parse(doubled) }
        }
    }

    @Test func `duplicates pass where the caller allows them`() throws {
        let limits = JSONLimits(refusesDuplicateKeys: false)
        let root = try JSONDocument(parsing: Array(#"{"a":1,"a":2}"#.utf8), limits: limits).root
        #expect(root["a"]?.integer == 1)
    }

    @Test func `a text cut anywhere is refused`() throws {
        let bytes = Array(Self.message.utf8)
        _ = try JSONDocument(parsing: bytes)
        for end in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSONDocument(parsing: Array(bytes[..<end])) }
        }
    }

    @Test func `corrupt bytes never trap`() {
        var random = SplitMix(seed: 11)
        let sample = Array(Self.message.utf8)
        for _ in 0..<20_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let document = try? JSONDocument(parsing: bytes) else { continue }
            walk(document.root)
        }
    }

    private func walk(_ node: JSONNode) {
        for (key, value) in node.members {
            #expect(node[key] != nil)
            walk(value)
        }
        node.elements.forEach(walk)
        _ = (node.string, node.integer, node.double, node.bool, node.rawBytes)
    }
}

private func parse(_ text: String) throws(JSONError) -> JSONDocument {
    try JSONDocument(parsing: Array(text.utf8))
}
