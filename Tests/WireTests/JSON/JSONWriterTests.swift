import Testing

@testable import Wire

@Suite struct JSONWriterTests {
    @Test func `commas place themselves`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a", 1)
        writer.key("b")
        writer.beginArray()
        writer.integer(-2)
        writer.double(0.5)
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.null()
        writer.bool(true)
        writer.endArray()
        writer.member("c", false)
        writer.member("d", ifPresent: nil)
        writer.member("e", raw: Array(#"{"x": 1}"#.utf8))
        writer.key(escaping: "f\n")
        writer.string("g")
        writer.endObject()
        #expect(text(writer) == #"{"a":1,"b":[-2,0.5,{},[],null,true],"c":false,"e":{"x": 1},"f\n":"g"}"#)
    }

    @Test func `strings are escaped where they must be`() {
        var writer = JSONWriter()
        writer.string("a\"b\\c/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é你😀")
        #expect(text(writer) == #""a\"b\\c/\b\f\n\r\t\u0000\u001f"# + "\u{7F}é你😀\"")
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, -1, -10, .min, .max, 1_234_567_890_123])
    func `integers are written whole`(
        value: Int64
    ) {
        var writer = JSONWriter()
        writer.integer(value)
        #expect(text(writer) == String(value))
    }

    @Test(arguments: [0.1, -1e300, 2.5e-300, 1e16, 123_456.789]) func `doubles read back the same`(
        value: Double
    ) throws {
        var writer = JSONWriter()
        writer.double(value)
        #expect(try JSONDocument(parsing: writer.bytes).root.double == value)
    }

    @Test func `what JSON has no word for is null`() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.double(.infinity)
        writer.double(.nan)
        writer.endArray()
        #expect(text(writer) == "[null,null]")
    }

    @Test func `any text reads back the same`() throws {
        var random = SplitMix(seed: 3)
        for _ in 0..<2_000 {
            let scalars = (0..<8).map { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x300, using: &random)) ?? "x"
            }
            let value = String(String.UnicodeScalarView(scalars))
            var writer = JSONWriter()
            writer.string(value)
            #expect(try JSONDocument(parsing: writer.bytes).root.string == value)
        }
    }

    @Test func `a buffer is used again`() {
        var writer = JSONWriter()
        writer.integer(1)
        writer.reset()
        writer.integer(2)
        #expect(text(writer) == "2")
    }

    private func text(_ writer: JSONWriter) -> String { String(decoding: writer.bytes, as: UTF8.self) }
}
