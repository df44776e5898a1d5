import Domain
import Wire

/// The claims of a device credential, read from a token whose signature is good.
struct DeviceClaims: Sendable {
    /// How far clocks may lie apart.
    static let skewMilliseconds: Int64 = 60_000

    let user: UserID
    let device: DeviceID
    let issuedAt: WallTime
    let expiresAt: WallTime
    private let notBefore: WallTime?

    /// Claims that the interface does not know are let be, as RFC
    /// 7519 asks. Nil: one of ours is missing or wrong.
    init?(_ root: JSONNode) {
        guard let user = Self.id(root["sub"]), let device = Self.id(root["did"]),
            let issuedAt = Self.time(root["iat"]), let expiresAt = Self.time(root["exp"]),
            expiresAt > issuedAt
        else { return nil }
        if let nbf = root["nbf"] {
            guard let notBefore = Self.time(nbf) else { return nil }
            self.notBefore = notBefore
        } else {
            notBefore = nil
        }
        self.user = UserID(user)
        self.device = DeviceID(device)
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    func check(at now: WallTime, maxAgeSeconds: Int64) throws(CredentialRefusal) {
        let latest = now + Self.skewMilliseconds
        guard expiresAt - issuedAt <= maxAgeSeconds * 1_000 else { throw .livesTooLong }
        guard issuedAt <= latest, notBefore.map({ $0 <= latest }) ?? true else { throw .notYetValid }
        guard now < expiresAt + Self.skewMilliseconds else { throw .expired }
    }

    private static func id(_ node: JSONNode?) -> String? {
        guard let text = node?.string, TextLimits.isValidID(text) else { return nil }
        return text
    }

    /// A NumericDate (RFC 7519 section 2), which may have a fraction.
    private static func time(_ node: JSONNode?) -> WallTime? {
        guard let seconds = node?.double, seconds >= 0, seconds < 253_402_300_800 else { return nil }
        return WallTime(milliseconds: Int64(seconds * 1_000))
    }
}
