/// RSA PKCS#1 v1.5 over SHA-256 (RFC 8017 §8.2), keys of 2,048 bits or more.
package enum RSASHA256 {
    package static let minimumBitCount = 2048

    fileprivate static func checked(_ handle: KeyHandle?) throws(CryptoError) -> KeyHandle {
        guard let handle, handle.isRSA, handle.bitCount >= minimumBitCount else {
            throw .wrongKey(expected: "an RSA key of \(minimumBitCount) bits or more")
        }
        return handle
    }

    /// A private key; shareable between threads.
    package struct PrivateKey: Sendable {
        private let handle: KeyHandle

        /// PKCS#8 or PKCS#1, not encrypted.
        package init(pem: [UInt8]) throws(CryptoError) { handle = try checked(PEM.privateKey(in: pem)) }

        private init(_ handle: KeyHandle?) throws(CryptoError) { self.handle = try checked(handle) }

        /// Takes some tenths of a second.
        package static func generate() throws(CryptoError) -> PrivateKey {
            try PrivateKey(.generateRSA(bits: UInt32(minimumBitCount)))
        }

        package var pem: String { PEM(label: "PRIVATE KEY", der: handle.privateDER()).text }
        package var publicKey: PublicKey { PublicKey(sharing: handle) }

        package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
            guard let signature = handle.sign(message.span) else { throw .operationFailed("RSA sign") }
            return signature
        }
    }

    package struct PublicKey: Sendable {
        private let handle: KeyHandle
        fileprivate init(sharing handle: KeyHandle) { self.handle = handle }

        /// SubjectPublicKeyInfo.
        package init(pem: [UInt8]) throws(CryptoError) { handle = try checked(PEM.publicKey(in: pem)) }

        package var pem: String { PEM(label: "PUBLIC KEY", der: handle.publicDER()).text }

        package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            handle.verify(signature, of: message.span)
        }
    }
}
