import Testing

@testable import Wire

@Suite struct KeyTests {
    let message = Array("sample".utf8)

    /// RFC 6979 §A.2.5: a P-256 key and its public point.
    @Test func `a private number has the published public point`() throws {
        let key = try ECDSAP256.PrivateKey(
            scalar: try #require(
                Hex.decode("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")))
        #expect(
            Hex.encode(key.publicKey.point)
                == "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
    }

    /// RFC 6979 §A.2.5: SHA-256 over "sample" and "test".
    @Test func `published signatures are valid, changed ones are not`() throws {
        let key = try ECDSAP256.PublicKey(
            point: try #require(
                Hex.decode(
                    "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                        + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")))
        var signature = try #require(
            Hex.decode(
                "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                    + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"))
        #expect(key.isValid(signature, for: message))
        #expect(!key.isValid(signature, for: message + [0]))
        signature[40] ^= 1
        #expect(!key.isValid(signature, for: message))
        #expect(!key.isValid(Array(signature.dropLast()), for: message))
        #expect(!key.isValid([], for: message))
        #expect(!key.isValid(.init(repeating: 0, count: 64), for: message))
        #expect(!key.isValid(.init(repeating: 0xFF, count: 64), for: message))
    }

    @Test func `signatures have 64 bytes whatever their numbers`() throws {
        let key = try ECDSAP256.PrivateKey.generate()
        for index in 0..<64 {
            let message = [UInt8(index)]
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(signature, for: message))
        }
    }

    @Test func `short numbers are padded on the left`() throws {
        let der: [UInt8] = [0x30, 8, 2, 2, 0x00, 0x81, 2, 2, 0x7F, 0x01]
        var expected = [UInt8](repeating: 0, count: 64)
        (expected[31], expected[62], expected[63]) = (0x81, 0x7F, 0x01)
        #expect(ECDSAP256.raw(fromDER: der) == expected)
        #expect(ECDSAP256.der(fromRaw: expected) == der)
        for wrong: [UInt8] in [[], [0x30], [0x30, 3, 2, 1], der + [0], [0x31] + der.dropFirst()] {
            #expect(ECDSAP256.raw(fromDER: wrong) == nil)
        }
    }

    @Test func `keys go through PEM`() throws {
        let key = try ECDSAP256.PrivateKey.generate()
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let again = try ECDSAP256.PrivateKey(pem: Array(key.pem.utf8))
        let publicKey = try ECDSAP256.PublicKey(pem: Array(key.publicKey.pem.utf8))
        #expect(again.publicKey.point == key.publicKey.point)
        #expect(publicKey.isValid(try again.sign(message), for: message))
    }

    @Test func `a SEC1 file with its parameters before it is read`() throws {
        let scalar = [UInt8](repeating: 7, count: 32)
        let curve = DER.element(0xA0, ObjectIdentifier.p256)
        let sec1 = PEM(
            label: "EC PRIVATE KEY", der: DER.sequence(DER.integer([1]), DER.octets(scalar), curve))
        let file = PEM(label: "EC PARAMETERS", der: ObjectIdentifier.p256).text + sec1.text
        let windows = Array(file.replacing("\n", with: "\r\n").utf8)
        #expect(
            try ECDSAP256.PrivateKey(pem: windows).publicKey.point
                == ECDSAP256.PrivateKey(scalar: scalar).publicKey.point)
    }

    @Test func `what is no key of the kind is refused with a reason`() throws {
        let rsa = try RSASHA256.PrivateKey.generate()
        let elliptic = try ECDSAP256.PrivateKey.generate()
        #expect(throws: CryptoError.wrongKey(expected: "a P-256 private key")) {
            try ECDSAP256.PrivateKey(pem: Array(rsa.pem.utf8))
        }
        #expect(throws: CryptoError.self) { try RSASHA256.PrivateKey(pem: Array(elliptic.pem.utf8)) }
        #expect(throws: CryptoError.malformedPEM) { try ECDSAP256.PrivateKey(pem: Array("no key".utf8)) }
        #expect(throws: CryptoError.malformedPEM) {
            try ECDSAP256.PrivateKey(pem: Array(elliptic.pem.utf8.dropLast(10)))
        }
        #expect(throws: CryptoError.encryptedKey) {
            try ECDSAP256.PrivateKey(pem: Array(PEM(label: "ENCRYPTED PRIVATE KEY", der: [1]).text.utf8))
        }
        #expect(throws: CryptoError.self) {
            try ECDSAP256.PrivateKey(pem: Array(PEM(label: "PRIVATE KEY", der: [0x30, 0]).text.utf8))
        }
        #expect(throws: CryptoError.self) {
            try ECDSAP256.PrivateKey(scalar: .init(repeating: 0xFF, count: 32))
        }
    }

    @Test func `a point off the curve is refused`() throws {
        var point = try ECDSAP256.PrivateKey.generate().publicKey.point
        point[64] ^= 1
        #expect(throws: CryptoError.self) { try ECDSAP256.PublicKey(point: point) }
        #expect(throws: CryptoError.self) { try ECDSAP256.PublicKey(point: .init(repeating: 4, count: 65)) }
        #expect(throws: CryptoError.self) { try ECDSAP256.PublicKey(point: []) }
    }

    @Test func `both sides of a key agreement find the same secret`() throws {
        let left = try ECDSAP256.PrivateKey.generate()
        let right = try ECDSAP256.PrivateKey.generate()
        #expect(try left.sharedSecret(with: right.publicKey) == right.sharedSecret(with: left.publicKey))
    }

    @Test func `RSA signs and verifies through PEM`() throws {
        let key = try RSASHA256.PrivateKey.generate()
        let signature = try RSASHA256.PrivateKey(pem: Array(key.pem.utf8)).sign(message)
        let publicKey = try RSASHA256.PublicKey(pem: Array(key.publicKey.pem.utf8))
        #expect(signature.count == 256)
        #expect(publicKey.isValid(signature, for: message))
        #expect(!publicKey.isValid(signature, for: message + [0]))
        #expect(!publicKey.isValid(Array(signature.reversed()), for: message))
        #expect(!publicKey.isValid([], for: message))
    }
}
