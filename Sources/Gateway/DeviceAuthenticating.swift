package import Domain
package import Engine

/// Whom a gateway connection speaks for.
package struct LinkIdentity: Equatable, Sendable {
    package let user: UserName
    package let device: DeviceID
    /// The credential's `iat`.
    package let issuedAt: WallTime
    /// After this the connection is closed with 4004, unless the credential was renewed; skew included.
    package let expiresAt: WallTime

    package init(user: UserName, device: DeviceID, issuedAt: WallTime, expiresAt: WallTime) {
        self.user = user
        self.device = device
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    var caller: DeviceCaller { DeviceCaller(device: device, credentialIssuedAt: issuedAt) }
}

/// Why a credential is not taken: the close code hangs on it.
package enum LinkRefusal: Error, Equatable, Sendable {
    /// 4004: get a new credential and come back.
    case expired
    /// 4003: do not come back with this one.
    case refused
}

/// Checks device credentials for the gateway; called on a connection's loop, so it must not block.
package protocol DeviceAuthenticating: Sendable {
    /// `peer`: the client's address, for the limit on failures.
    func identify(_ token: [UInt8], peer: String, at now: WallTime) throws(LinkRefusal) -> LinkIdentity
}
