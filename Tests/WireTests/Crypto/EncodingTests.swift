import Testing

@testable import Wire

@Suite struct EncodingTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base 64 is that of RFC 4648`(text: String, encoded: String) {
        let bytes = Array(text.utf8)
        let unpadded = String(encoded.prefix { $0 != "=" })
        #expect(Base64.encode(bytes) == encoded)
        #expect(Base64.decode(encoded) == bytes)
        #expect(Base64URL.encode(bytes) == unpadded)
        #expect(Base64URL.decode(unpadded) == bytes)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm9v\n", " Zm9v", "Zm-_", "Zg==Zg==", "Z=g=",
        "Zm9vé",
    ])
    func `base 64 refuses what it would not have written`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm+/", "Zm 9", "Zm9vZ"])
    func `URL-safe base 64 refuses what it would not have written`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `the two alphabets differ in two characters`() {
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    }

    @Test func `every length goes through all three encodings unharmed`() {
        for count in 0..<100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
    }

    @Test func `hex is written small and read in either case`() {
        #expect(Hex.encode([0x00, 0xFC, 0x13]) == "00fc13")
        #expect(Hex.decode("00fC13") == [0x00, 0xFC, 0x13])
        for wrong in ["0", "0g", "0x", " 00", "00 "] { #expect(Hex.decode(wrong) == nil) }
    }

    @Test func `a named UUID is that of RFC 9562`() {
        let uuid = UUIDBytes.named(Array("www.example.com".utf8), in: .dnsNamespace)
        #expect(uuid.text == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    }

    @Test func `a random UUID has version 4 and its variant`() {
        let text = Array(UUIDBytes.random().text.utf8)
        #expect(text[14] == UInt8(ascii: "4"))
        #expect(Array("89ab".utf8).contains(text[19]))
        #expect(UUIDBytes.random() != UUIDBytes.random())
    }

    @Test func `a UUID's text is read strictly`() {
        let uuid = UUIDBytes(text: "2ED6657D-e927-568b-95e1-2665a8aea6a2")
        #expect(uuid?.text == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
        for wrong in [
            "", "2ed6657de927568b95e12665a8aea6a2", "{2ed6657d-e927-568b-95e1-2665a8aea6a2}",
            "2ed6657d-e927-568b-95e1-2665a8aea6a", "2ed6657g-e927-568b-95e1-2665a8aea6a2",
            "2ed6657d-e927-568b-95e1-2665a8aea6a2-",
        ] {
            #expect(UUIDBytes(text: wrong) == nil, "\(wrong)")
        }
    }
}
