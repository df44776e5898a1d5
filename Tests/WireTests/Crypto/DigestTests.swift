import Testing

@testable import Wire

@Suite struct DigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 gives the published digests`(text: String, digest: String) {
        #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == digest)
    }

    @Test func `SHA-1 gives the published digest`() {
        #expect(Hex.encode(SHA1.hash(Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    /// RFC 4231: key, data, code.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `HMAC gives the codes of RFC 4231`(key: [UInt8], data: [UInt8], code: String) throws {
        let mac = HMACSHA256(key: key)
        #expect(Hex.encode(mac.authenticate(data)) == code)
        #expect(Hex.encode(mac.authenticate(data)) == code)
        let bytes = try #require(Hex.decode(code))
        #expect(mac.isValid(bytes, for: data))
        #expect(!mac.isValid(bytes, for: data + [0]))
        #expect(!mac.isValid(bytes.dropLast(), for: data))
    }

    @Test func `HKDF gives the keys of RFC 5869`() throws {
        let key = HKDF.derive(
            inputKey: [UInt8](repeating: 0x0B, count: 22), salt: Array(0x00...0x0C), info: Array(0xF0...0xF9),
            byteCount: 42)
        #expect(
            Hex.encode(key)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let withoutSalt = HKDF.derive(
            inputKey: [UInt8](repeating: 0x0B, count: 22), salt: [], info: [], byteCount: 42)
        #expect(
            Hex.encode(withoutSalt)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test func `equality in constant time is equality`() {
        #expect(constantTimeEqual([1, 2], [1, 2]))
        #expect(constantTimeEqual([], []))
        #expect(!constantTimeEqual([1, 2], [1, 3]))
        #expect(!constantTimeEqual([1, 2], [1, 2, 3]))
    }

    @Test func `random bytes come in the number asked for and differ`() {
        #expect(SecureRandom.bytes(count: 0).isEmpty)
        #expect(SecureRandom.bytes(count: 32).count == 32)
        #expect(SecureRandom.bytes(count: 32) != SecureRandom.bytes(count: 32))
    }
}
