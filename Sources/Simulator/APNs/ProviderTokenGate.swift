import Wire

/// Checks the provider tokens shown on one connection.
struct ProviderTokenGate {
    private static let oneHour: Int64 = 3_600
    private static let floor: Int64 = 1_200

    private let state: SimulatorState
    private var last: ArraySlice<UInt8> = []
    private var accepted: SimulatorState.ProviderToken?

    init(_ state: SimulatorState) { self.state = state }

    /// The fault of an `authorization` field; nil if it is fine.
    mutating func fault(_ authorization: ArraySlice<UInt8>?, at now: Int64) -> String? {
        guard let authorization, authorization.starts(with: Self.scheme) else {
            return "MissingProviderToken"
        }
        let seconds = now / 1_000
        if let accepted, authorization == last {
            return abs(seconds - accepted.issuedAt) <= Self.oneHour ? nil : "ExpiredProviderToken"
        }
        guard let token = state.knownProviderToken(authorization) ?? verified(authorization) else {
            return "InvalidProviderToken"
        }
        guard abs(seconds - token.issuedAt) <= Self.oneHour else { return "ExpiredProviderToken" }
        if let accepted {
            guard accepted.teamID == token.teamID else { return "InvalidProviderToken" }
            guard accepted.keyID == token.keyID else { return "UnrelatedKeyIdInToken" }
            if token.issuedAt > accepted.issuedAt, token.issuedAt - accepted.issuedAt < Self.floor {
                return "TooManyProviderTokenUpdates"
            }
        }
        accepted = token
        last = ArraySlice(Array(authorization))
        return nil
    }

    private static let scheme = Array("bearer ".utf8)

    private func verified(_ authorization: ArraySlice<UInt8>) -> SimulatorState.ProviderToken? {
        guard let jwt = try? JWT(parsing: authorization.dropFirst(Self.scheme.count)),
            jwt.algorithm == "ES256",
            let keyID = jwt.keyID, let claims = (try? JSONDocument(parsing: jwt.claims))?.root,
            let teamID = claims["iss"]?.string, let issuedAt = claims["iat"]?.integer
        else { return nil }
        let known = state.apnsKey(keyID)
        if !known.isOpenToAll {
            guard let key = known.key, key.teamID == teamID, jwt.isSigned(by: .es256(key.publicKey)) else {
                return nil
            }
        }
        let token = SimulatorState.ProviderToken(teamID: teamID, keyID: keyID, issuedAt: issuedAt)
        state.remember(token, for: authorization)
        return token
    }
}
