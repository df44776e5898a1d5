package import Domain
import EventLoop
package import Gateway
package import Telemetry

/// Device credentials for the gateway's first frame, under the same limit on failures as the HTTP calls.
package struct GatewayAuthenticator: DeviceAuthenticating {
    private let credentials: CredentialDirectory
    private let failures: AuthenticationFailures
    private let failureCounter: Counter

    package init(
        credentials: CredentialDirectory, failures: AuthenticationFailures, metrics: MetricRegistry
    ) {
        self.credentials = credentials
        self.failures = failures
        failureCounter = metrics.counter(
            .authenticationFailures, [MetricLabel("listener", "gateway")])
    }

    package func identify(
        _ token: [UInt8], peer: String, at now: WallTime
    ) throws(LinkRefusal) -> LinkIdentity {
        do throws(CredentialRefusal) {
            return LinkIdentity(try credentials.device(token, at: now))
        } catch {
            failureCounter.add()
            _ = failures.record(peer, at: Instant(milliseconds: MonotonicClock.nowMilliseconds()))
            throw error == .expired ? .expired : .refused
        }
    }
}

extension LinkIdentity {
    /// With the skew that a credential is granted.
    package init(_ identity: DeviceIdentity) {
        self.init(
            user: identity.userName, device: identity.device, issuedAt: identity.issuedAt,
            expiresAt: identity.expiresAt + DeviceClaims.skewMilliseconds)
    }
}
