/// Labelled base-64 blocks of text (RFC 7468).
package struct PEM: Equatable, Sendable {
    package let label: String
    package let der: [UInt8]

    package init(label: String, der: [UInt8]) {
        self.label = label
        self.der = der
    }

    package var text: String {
        let encoded = Array(Base64.encode(der).utf8)
        var lines = ["-----BEGIN \(label)-----"]
        for start in stride(from: 0, to: encoded.count, by: 64) {
            lines.append(String(decoding: encoded[start..<min(start + 64, encoded.count)], as: UTF8.self))
        }
        return (lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }

    /// The blocks in a file, in order; text around them is skipped, a block that does not end is refused.
    package static func blocks(in text: [UInt8]) throws(CryptoError) -> [PEM] {
        var blocks: [PEM] = []
        var open: (label: String, body: [UInt8])?
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = line.trimmingBlanks()
            if let label = boundary("BEGIN", line) {
                guard open == nil else { throw .malformedPEM }
                open = (label, [])
            } else if let label = boundary("END", line) {
                guard let block = open, block.label == label, let der = Base64.decode(block.body) else {
                    throw .malformedPEM
                }
                blocks.append(PEM(label: label, der: der))
                open = nil
            } else {
                open?.body += line
            }
        }
        guard open == nil else { throw .malformedPEM }
        return blocks
    }

    private static func boundary(_ word: String, _ line: ArraySlice<UInt8>) -> String? {
        let start = Array("-----\(word) ".utf8)
        let dashes = Array("-----".utf8)
        guard line.starts(with: start), line.count > start.count + dashes.count,
            line.suffix(dashes.count).elementsEqual(dashes)
        else { return nil }
        return String(decoding: line.dropFirst(start.count).dropLast(dashes.count), as: UTF8.self)
    }

    /// The private key of a file: PKCS#8, SEC1 or PKCS#1.
    static func privateKey(in text: [UInt8]) throws(CryptoError) -> KeyHandle {
        let blocks = try blocks(in: text)
        let hasEncryptedKey = blocks.contains { $0.label == "ENCRYPTED PRIVATE KEY" }
        if hasEncryptedKey { throw .encryptedKey }
        guard let block = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw .malformedPEM
        }
        guard let key = KeyHandle.privateKey(der: block.der) else {
            throw .wrongKey(expected: "a private key")
        }
        return key
    }

    static func publicKey(in text: [UInt8]) throws(CryptoError) -> KeyHandle {
        guard let block = try blocks(in: text).first(where: { $0.label == "PUBLIC KEY" }) else {
            throw .malformedPEM
        }
        guard let key = KeyHandle.publicKey(der: block.der) else { throw .wrongKey(expected: "a public key") }
        return key
    }
}

extension ArraySlice<UInt8> {
    fileprivate func trimmingBlanks() -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var line = drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line
    }
}
