/// Makes certificates for development and tests: an authority of its own and leaves signed
/// by it. Not a CA for production: no revocation, no checks of what is asked for.
package enum X509 {
    /// What a certificate is valid for.
    package enum Name: Equatable, Sendable {
        case dns(String)
        /// 4 or 16 bytes.
        case ip([UInt8])

        package static let loopback = [
            Name.dns("localhost"), .ip([127, 0, 0, 1]), .ip([UInt8](repeating: 0, count: 15) + [1]),
        ]

        fileprivate var der: [UInt8] {
            switch self {
            case .dns(let name): DER.element(0x82, Array(name.utf8))
            case .ip(let address): DER.element(0x87, address)
            }
        }
    }

    /// From when until when, in seconds since 1970.
    package struct Validity: Equatable, Sendable {
        package var from: Int64
        package var until: Int64

        package init(from: Int64, until: Int64) {
            self.from = from
            self.until = until
        }

        fileprivate var der: [UInt8] { DER.sequence(CalendarTime.der(from), CalendarTime.der(until)) }
    }

    /// A certificate and its key, both PEM; the chain is the certificate alone.
    package struct Identity: Sendable {
        package let certificatePEM: String
        package let privateKeyPEM: String
    }

    /// A certificate authority with a P-256 key.
    package struct Authority: Sendable {
        private let name: String
        private let key: ECDSAP256.PrivateKey
        /// What clients are given to trust.
        package let certificatePEM: String
        package var privateKeyPEM: String { key.pem }

        package init(name: String, validity: Validity) throws(CryptoError) {
            self.name = name
            key = try .generate()
            let certificate = Certificate(
                issuer: name, subject: name, publicKey: key.publicKey, validity: validity,
                extensions: [
                    Certificate.extension(
                        ObjectIdentifier.basicConstraints, isCritical: true, DER.sequence(DER.boolean(true))),
                    Certificate.extension(
                        ObjectIdentifier.keyUsage, isCritical: true, DER.bits([0x06], unused: 1)),
                    Certificate.extension(
                        ObjectIdentifier.subjectKeyIdentifier, DER.octets(Certificate.identifier(of: key))),
                ])
            certificatePEM = try certificate.signed(by: key)
        }

        /// A server certificate with a fresh key.
        package func issue(for names: [Name], validity: Validity) throws(CryptoError) -> Identity {
            let leafKey = try ECDSAP256.PrivateKey.generate()
            let alternativeNames = DER.element(DER.sequenceTag, names.flatMap(\.der))
            let certificate = Certificate(
                issuer: name, subject: "leaf", publicKey: leafKey.publicKey, validity: validity,
                extensions: [
                    Certificate.extension(
                        ObjectIdentifier.basicConstraints, isCritical: true, DER.sequence()),
                    Certificate.extension(
                        ObjectIdentifier.keyUsage, isCritical: true, DER.bits([0x80], unused: 7)),
                    Certificate.extension(
                        ObjectIdentifier.extendedKeyUsage, DER.sequence(ObjectIdentifier.serverAuthentication)
                    ),
                    Certificate.extension(ObjectIdentifier.subjectAlternativeName, alternativeNames),
                    Certificate.extension(
                        ObjectIdentifier.authorityKeyIdentifier,
                        DER.sequence(DER.element(0x80, Certificate.identifier(of: key)))),
                ])
            return Identity(certificatePEM: try certificate.signed(by: key), privateKeyPEM: leafKey.pem)
        }
    }
}

/// What is signed (RFC 5280 §4.1).
private struct Certificate {
    let issuer: String
    let subject: String
    let publicKey: ECDSAP256.PublicKey
    let validity: X509.Validity
    let extensions: [[UInt8]]

    private static let algorithm = DER.sequence(ObjectIdentifier.ecdsaWithSHA256)

    func signed(by key: ECDSAP256.PrivateKey) throws(CryptoError) -> String {
        let serial = [0x01] + SecureRandom.bytes(count: 15)
        let content = DER.sequence(
            DER.element(0xA0, DER.integer([2])), DER.integer(serial), Self.algorithm,
            Self.distinguished(issuer),
            validity.der, Self.distinguished(subject), publicKey.der,
            DER.element(0xA3, DER.element(DER.sequenceTag, extensions.flatMap { $0 })))
        let signature = DER.bits(try key.signDER(content))
        return PEM(label: "CERTIFICATE", der: DER.sequence(content, Self.algorithm, signature)).text
    }

    private static func distinguished(_ name: String) -> [UInt8] {
        DER.sequence(DER.set(DER.sequence(ObjectIdentifier.commonName, DER.text(name))))
    }

    static func `extension`(_ id: [UInt8], isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(id, isCritical ? DER.boolean(true) : [], DER.octets(value))
    }

    static func identifier(of key: ECDSAP256.PrivateKey) -> [UInt8] { SHA1.hash(key.publicKey.point) }
}

/// Points in time as certificates write them.
private enum CalendarTime {
    static func der(_ seconds: Int64) -> [UInt8] {
        let (days, rest) = seconds.quotientAndFloorRemainder(by: 86_400)
        let date = civil(days)
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map(twoDigits).joined()
        let day = twoDigits(date.month) + twoDigits(date.day)
        // RFC 5280 §4.1.2.5: UTCTime up to 2049, GeneralizedTime from 2050.
        guard date.year >= 2050 else { return time(0x17, twoDigits(date.year % 100) + day + clock) }
        return time(0x18, String(date.year) + day + clock)
    }

    private static func time(_ tag: UInt8, _ digits: String) -> [UInt8] {
        DER.element(tag, Array((digits + "Z").utf8))
    }

    private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }

    /// Days since 1970 in the Gregorian calendar, counting years from March so that the leap day comes last.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndFloorRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

extension Int64 {
    fileprivate func quotientAndFloorRemainder(by divisor: Int64) -> (Int64, Int64) {
        let remainder = ((self % divisor) + divisor) % divisor
        return ((self - remainder) / divisor, remainder)
    }
}
