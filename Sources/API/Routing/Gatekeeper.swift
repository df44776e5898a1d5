import Domain
import Engine
package import Telemetry
import Wire

/// Authenticates callers: 401 with no or a bad credential, 403 with one of another kind, 429 after too many.
package struct Gatekeeper: Sendable {
    private let credentials: CredentialDirectory
    private let adminToken: AdminToken?
    private let failures: AuthenticationFailures
    private let failureCounter: Counter

    package init(
        credentials: CredentialDirectory, adminToken: AdminToken?, failures: AuthenticationFailures,
        failureCounter: Counter
    ) {
        self.credentials = credentials
        self.adminToken = adminToken
        self.failures = failures
        self.failureCounter = failureCounter
    }

    func backend(_ call: Call, peer: @autoclosure () -> String) throws(Problem) -> Tenant {
        let token = try bearer(call, peer: peer())
        if let tenant = credentials.tenant(apiKey: token) { return tenant }
        if !APIKey.hasShape(token), (try? credentials.device(token, at: call.now.wall)) != nil {
            throw Problem(.forbidden, "This call is for backends: an API key is needed.")
        }
        throw failed(Problem(.badCredential, "The API key is not known."), call, peer: peer())
    }

    func device(_ call: Call, peer: @autoclosure () -> String) throws(Problem) -> DeviceIdentity {
        let token = try bearer(call, peer: peer())
        if credentials.tenant(apiKey: token) != nil {
            throw Problem(.forbidden, "This call is for devices: a device's credential is needed.")
        }
        do {
            return try credentials.device(token, at: call.now.wall)
        } catch {
            throw failed(Self.problem(error), call, peer: peer())
        }
    }

    func administrator(_ call: Call, peer: @autoclosure () -> String) throws(Problem) {
        let token = try bearer(call, peer: peer())
        guard let adminToken, adminToken.isEqual(to: token) else {
            throw failed(Problem(.badCredential, "The admin token is not this one."), call, peer: peer())
        }
    }

    private func bearer(_ call: Call, peer: @autoclosure () -> String) throws(Problem) -> ArraySlice<UInt8> {
        guard let value = call.request.headers.valueBytes("Authorization") else {
            throw failed(Problem(.noCredential, "Send Authorization: Bearer …."), call, peer: peer())
        }
        guard let token = BearerToken.token(in: value),
            call.request.headers.count(of: "Authorization") == 1
        else {
            throw failed(Problem(.badCredential, "Send one Authorization: Bearer …."), call, peer: peer())
        }
        return token
    }

    private func failed(_ problem: Problem, _ call: Call, peer: @autoclosure () -> String) -> Problem {
        failureCounter.add()
        guard failures.record(peer(), at: call.now.instant) else {
            return Problem(.tooManyFailures, "Wait before the next attempt.")
        }
        return problem
    }

    private static func problem(_ refusal: CredentialRefusal) -> Problem {
        switch refusal {
        case .invalid: Problem(.badCredential, "The credential is malformed, or not signed by a known key.")
        case .expired: Problem(.credentialExpired, "Its exp is past: get a new one.")
        case .notYetValid: Problem(.badCredential, "Its iat or nbf lies ahead: check the clocks.")
        case .livesTooLong: Problem(.badCredential, "Its exp lies too far after its iat.")
        }
    }
}

/// The token of `Authorization: Bearer …` (RFC 6750); the scheme in any case.
package enum BearerToken {
    private static let usual = Array("Bearer".utf8)

    package static func token(in value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = value.prefix { $0 != UInt8(ascii: " ") }
        guard scheme.elementsEqual(usual) || String(decoding: scheme, as: UTF8.self).lowercased() == "bearer"
        else { return nil }
        let token = value[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, !token.contains(UInt8(ascii: " ")) else { return nil }
        return token
    }
}
