import Testing

@testable import Wire

@Suite struct JSON5DocumentTests {
    private static let config = """
        // the house
        {
          public: {listen: '127.0.0.1:8080', tls: null,},
          /* two
             lines */ "quoted": "a\\
        b\\x41\\u00e9\\ud83d\\ude00\\v\\0\\'",
          $numbers_1: [+1, -2, .5, 5., 0x1F, -0x10, 1e3, Infinity, -Infinity, 0, 9223372036854775808,],
          ключ: true, /**/ no: false
        } // end
        """

    @Test func `a config is read with the line of everything`() throws {
        let root = try parse(Self.config)
        #expect(root.line == 2)
        #expect(root.members.map(\.key) == ["public", "quoted", "$numbers_1", "ключ", "no"])
        #expect(root.members.map(\.line) == [3, 5, 7, 8, 8])
        #expect(root["public"]?["listen"]?.string == "127.0.0.1:8080")
        #expect(root["public"]?["tls"]?.isNull == true)
        #expect(root["quoted"]?.string == "abAé😀\u{B}\u{0}'")
        #expect(
            root["$numbers_1"]?.elements?.map(\.double) == [
                1, -2, 0.5, 5, 31, -16, 1000, .infinity, -.infinity, 0, 9_223_372_036_854_775_808,
            ])
        #expect(
            root["$numbers_1"]?.elements?.map(\.integer) == [1, -2, nil, nil, 31, -16, nil, nil, nil, 0, nil])
        #expect(root["ключ"]?.bool == true)
        #expect(root["missing"] == nil)
    }

    @Test func `plain JSON is JSON5`() throws {
        #expect(try parse(#"{"a":[1,{"b":null}],"c":"d"}"#)["a"]?.elements?.count == 2)
    }

    @Test(arguments: [
        ("{\n a: 1\n b: 2}", "expected ',' or '}' at line 3"), ("{\n a 1}", "expected ':' at line 2"),
        ("{a: 1,\n a: 2}", "duplicate key 'a' at line 2"), ("[1\n2]", "expected ',' or ']' at line 2"),
        ("", "expected a value at line 1"), ("{a: yes}", "expected a value at line 1"),
        ("{,}", "expected a key at line 1"),
        ("/* \n", "comment without an end at line 1"), ("'a\n'", "line break in a string at line 1"),
        ("\n'abc", "string without an end at line 2"), ("'\\u12'", "invalid escape at line 1"),
        ("'\\ud800'", "lone surrogate in an escape at line 1"),
        ("{} {}", "unexpected text after the value at line 1"),
        ("01", "number with a leading zero at line 1"), (".", "expected a digit at line 1"),
        ("0x", "expected a digit at line 1"),
        ("1e", "expected a digit at line 1"), ("12px", "unexpected letter in a number at line 1"),
        ("1e999", "number out of range at line 1"), ("0x10000000000000000", "number out of range at line 1"),
        ("-abc", "expected a number at line 1"), ("{1a: 2}", "expected a key at line 1"),
        (String(repeating: "[", count: 65), "nesting deeper than 64 at line 1"),
    ])
    func `what is no JSON5 is refused with its line`(text: String, problem: String) {
        do throws(JSONError) {
            _ = try parse(text)
            Issue.record("taken: \(text)")
        } catch {
            #expect(error.description == problem)
        }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONError("invalid UTF-8", byteOffset: 4, line: 2)) {
            try JSON5Document(parsing: [0x7B, 0x7D, 0x0A, 0x20, 0xFF])
        }
    }

    @Test func `corrupt bytes never trap`() {
        var random = SplitMix(seed: 13)
        let sample = Array(Self.config.utf8)
        for _ in 0..<10_000 {
            var bytes = sample
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 1...126, using: &random)
            }
            _ = try? JSON5Document(parsing: Array(bytes[..<Int.random(in: 0...bytes.count, using: &random)]))
        }
    }
}

private func parse(_ text: String) throws(JSONError) -> JSON5Value {
    try JSON5Document(parsing: Array(text.utf8)).root
}
