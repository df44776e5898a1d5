import Testing

@testable import Wire

@Suite struct GCMTests {
    let key = Array(UInt8(0)..<32)

    /// The GCM specification's cases 14 and 16.
    @Test func `AES-256-GCM gives the published values`() throws {
        var zero = try AES256GCM(key: .init(repeating: 0, count: 32))
        let sealed = try zero.seal(
            .init(repeating: 0, count: 16), aad: [], nonce: .init(repeating: 0, count: 12))
        #expect(
            Hex.encode(sealed.dropFirst(12))
                == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
        let key = try #require(Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let nonce = try #require(Hex.decode("cafebabefacedbaddecaf888"))
        let aad = try #require(Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
        let plaintext = try #require(
            Hex.decode(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"))
        var cipher = try AES256GCM(key: key)
        let long = try cipher.seal(plaintext, aad: aad, nonce: nonce)
        #expect(
            Hex.encode(long.dropFirst(12))
                == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b")
        #expect(cipher.open(long, aad: aad) == plaintext)
    }

    @Test func `what was sealed opens, under fresh nonces`() throws {
        var cipher = try AES256GCM(key: key)
        var nonces: Set<[UInt8]> = []
        for count in 0..<200 {
            let plaintext = [UInt8](repeating: UInt8(count), count: count)
            let sealed = try cipher.seal(plaintext, aad: [UInt8(count)])
            #expect(sealed.count == count + AES256GCM.overheadByteCount)
            #expect(cipher.open(sealed, aad: [UInt8(count)]) == plaintext)
            #expect(cipher.open(sealed, aad: []) == nil)
            nonces.insert(Array(sealed.prefix(12)))
        }
        #expect(nonces.count == 200)
    }

    @Test func `a change of any bit is noticed`() throws {
        var cipher = try AES256GCM(key: key)
        let sealed = try cipher.seal(Array("device token".utf8), aad: Array("row".utf8))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x10
            #expect(cipher.open(changed, aad: Array("row".utf8)) == nil)
        }
        for count in 0..<sealed.count { #expect(cipher.open(Array(sealed.prefix(count)), aad: []) == nil) }
        #expect(cipher.open(sealed, aad: Array("row".utf8)) == Array("device token".utf8))
        var other = try AES256GCM(key: key.reversed())
        #expect(other.open(sealed, aad: Array("row".utf8)) == nil)
    }

    @Test func `a key of another length is refused`() {
        for count in [0, 16, 31, 33] {
            #expect(throws: CryptoError.wrongKey(expected: "32 bytes for AES-256")) {
                _ = try AES256GCM(key: .init(repeating: 1, count: count))
            }
        }
    }

    /// RFC 8291 Appendix A.
    @Test func `the pieces of Web Push encryption give the published message`() throws {
        let receiver = try ECDSAP256.PublicKey(
            point: try #require(
                Base64URL.decode(
                    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
            ))
        let sender = try ECDSAP256.PrivateKey(
            scalar: try #require(Base64URL.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))
        #expect(
            Base64URL.encode(sender.publicKey.point)
                == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        let secret = try sender.sharedSecret(with: receiver)
        #expect(Base64URL.encode(secret) == "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
        let authentication = try #require(Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg"))
        let info = Array("WebPush: info".utf8) + [0] + receiver.point + sender.publicKey.point
        let inputKey = HKDF.derive(inputKey: secret, salt: authentication, info: info, byteCount: 32)
        #expect(Base64URL.encode(inputKey) == "S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg")
        let salt = try #require(Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw"))
        let key = HKDF.derive(
            inputKey: inputKey, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), byteCount: 16)
        let nonce = HKDF.derive(
            inputKey: inputKey, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), byteCount: 12)
        let text = Array("When I grow up, I want to be a watermelon".utf8) + [2]
        let sealed = try AES128GCM.seal(text, key: key, nonce: nonce)
        #expect(
            Base64URL.encode(sealed)
                == "8pfeW0KbunFT06SuDKoJH9Ql87S1QUrdirN6GcG7sFz1y1sqLgVi1VhjVkHsUoEsbI_0LpXMuGvnzQ")
        #expect(AES128GCM.open(sealed, key: key, nonce: nonce) == text)
        #expect(AES128GCM.open(sealed.reversed(), key: key, nonce: nonce) == nil)
    }
}
