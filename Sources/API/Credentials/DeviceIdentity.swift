package import Domain
package import Engine

/// Who a verified device credential speaks for, and until when.
package struct DeviceIdentity: Sendable {
    package let tenant: Tenant
    package let user: UserID
    package let device: DeviceID
    package let issuedAt: WallTime
    /// The credential's `exp`; the skew that is granted comes on top.
    package let expiresAt: WallTime

    package init(
        tenant: Tenant, user: UserID, device: DeviceID, issuedAt: WallTime, expiresAt: WallTime
    ) {
        self.tenant = tenant
        self.user = user
        self.device = device
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    package var userName: UserName { UserName(tenant: tenant.key, user: user) }

    /// The device speaking for itself.
    package var caller: DeviceCaller { DeviceCaller(device: device, credentialIssuedAt: issuedAt) }
}

/// Why a credential is not taken; told apart only where the holder can mend it.
package enum CredentialRefusal: Error, Equatable, Sendable {
    /// Malformed, unknown key, bad signature, impossible claims: which, a stranger is not told.
    case invalid
    case expired
    /// `iat` or `nbf` lies ahead by more than the skew.
    case notYetValid
    /// `exp` lies further after `iat` than the tenant allows.
    case livesTooLong
}
