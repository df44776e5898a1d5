/// Signatures over SHA-256 with the curve P-256 in the form tokens want: r ‖ s, 64 bytes (RFC 7518 §3.4).
package enum ECDSAP256 {
    package static let signatureByteCount = 64
    private static let halfByteCount = 32
    /// The number of points (FIPS 186-4 §D.1.2.3); a secret
    /// number lies below it, which OpenSSL does not check.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// A private key; shareable between threads.
    package struct PrivateKey: Sendable {
        fileprivate let handle: KeyHandle

        fileprivate init(_ handle: KeyHandle?) throws(CryptoError) {
            guard let handle, handle.isP256 else { throw .wrongKey(expected: "a P-256 private key") }
            self.handle = handle
        }

        /// PKCS#8 or SEC1, not encrypted.
        package init(pem: [UInt8]) throws(CryptoError) { try self.init(PEM.privateKey(in: pem)) }

        /// The 32-byte secret number, as Web Push keys are often given.
        package init(scalar: [UInt8]) throws(CryptoError) {
            guard scalar.count == 32, scalar.contains(where: { $0 != 0 }),
                scalar.lexicographicallyPrecedes(order)
            else { throw .wrongKey(expected: "a secret number of P-256, 32 bytes") }
            let curve = DER.element(0xA0, ObjectIdentifier.p256)
            try self.init(
                KeyHandle.privateKey(der: DER.sequence(DER.integer([1]), DER.octets(scalar), curve)))
        }

        package static func generate() throws(CryptoError) -> PrivateKey { try PrivateKey(.generateP256()) }

        package var pem: String { PEM(label: "PRIVATE KEY", der: handle.privateDER()).text }
        package var publicKey: PublicKey { PublicKey(sharing: handle) }

        package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
            guard let der = handle.sign(message.span), let raw = ECDSAP256.raw(fromDER: der) else {
                throw .operationFailed("ECDSA sign")
            }
            return raw
        }

        /// ECDH: the x coordinate of the shared point, 32 bytes.
        package func sharedSecret(with peer: PublicKey) throws(CryptoError) -> [UInt8] {
            guard let secret = handle.agree(with: peer.handle) else { throw .operationFailed("ECDH") }
            return secret
        }

        /// The DER form, for certificates.
        func signDER(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
            guard let der = handle.sign(message.span) else { throw .operationFailed("ECDSA sign") }
            return der
        }
    }

    package struct PublicKey: Sendable {
        fileprivate let handle: KeyHandle
        fileprivate init(sharing handle: KeyHandle) { self.handle = handle }

        /// SubjectPublicKeyInfo.
        package init(pem: [UInt8]) throws(CryptoError) {
            handle = try PEM.publicKey(in: pem)
            guard handle.isP256 else { throw .wrongKey(expected: "a P-256 public key") }
        }

        /// The uncompressed point: 4 ‖ x ‖ y, 65 bytes; one that is not on the curve is refused.
        package init(point: [UInt8]) throws(CryptoError) {
            let expected = CryptoError.wrongKey(expected: "an uncompressed P-256 point")
            guard point.count == 65, point[0] == 4 else { throw expected }
            let algorithm = DER.sequence(ObjectIdentifier.ecPublicKey, ObjectIdentifier.p256)
            guard let handle = KeyHandle.publicKey(der: DER.sequence(algorithm, DER.bits(point))) else {
                throw expected
            }
            self.handle = handle
        }

        package var point: [UInt8] { Array(handle.publicDER().suffix(65)) }
        package var pem: String { PEM(label: "PUBLIC KEY", der: der).text }
        var der: [UInt8] { handle.publicDER() }

        package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            guard let der = ECDSAP256.der(fromRaw: signature) else { return false }
            return handle.verify(der, of: message.span)
        }
    }

    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        var outer = DERReader(der)
        guard let content = outer.read(DER.sequenceTag), outer.isAtEnd else { return nil }
        var inner = DERReader(content)
        guard let r = inner.read(DER.integerTag), let s = inner.read(DER.integerTag), inner.isAtEnd,
            let left = padded(r), let right = padded(s)
        else { return nil }
        return left + right
    }

    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == signatureByteCount else { return nil }
        return DER.sequence(DER.integer(raw.prefix(halfByteCount)), DER.integer(raw.suffix(halfByteCount)))
    }

    private static func padded(_ integer: ArraySlice<UInt8>) -> [UInt8]? {
        let digits = integer.drop { $0 == 0 }
        guard digits.count <= halfByteCount else { return nil }
        return [UInt8](repeating: 0, count: halfByteCount - digits.count) + digits
    }
}

/// Object identifiers, encoded.
enum ObjectIdentifier {
    static let ecPublicKey: [UInt8] = [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    static let p256: [UInt8] = [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    static let ecdsaWithSHA256: [UInt8] = [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    static let commonName: [UInt8] = [0x06, 3, 0x55, 0x04, 0x03]
    static let subjectKeyIdentifier: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x0E]
    static let keyUsage: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x0F]
    static let subjectAlternativeName: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x11]
    static let basicConstraints: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x13]
    static let authorityKeyIdentifier: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x23]
    static let extendedKeyUsage: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x25]
    static let serverAuthentication: [UInt8] = [0x06, 8, 0x2B, 6, 1, 5, 5, 7, 3, 1]
}
