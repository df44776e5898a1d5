package import EventLoop
package import Wire

/// APNs and FCM, with its OAuth endpoint, over HTTP/2 and TLS on
/// one port: as they behave, and misbehave when told to.
///
/// Makes its own certificate authority at the start. From any thread.
package final class ProviderSimulator: Sendable {
    /// What a client must trust to connect.
    package let authorityPEM: String
    private let listener: Listener
    private let state: SimulatorState

    /// Listens at once. `onPush` is called for each push on the connection's loop, so be quick in it.
    ///
    /// Fails with what the system or OpenSSL says.
    package init(
        _ settings: SimulatorSettings = SimulatorSettings(), group: EventLoopGroup,
        onPush: (@Sendable (SimulatedPush) -> Void)? = nil
    ) throws {
        let state = SimulatorState(settings, onPush: onPush)
        let now = WallClock.now() / 1_000
        let validity = X509.Validity(from: now - 86_400, until: now + 365 * 86_400)
        let authority =
            try settings.authority ?? X509.Authority(name: "Rouse simulated providers", validity: validity)
        let identity = try authority.issue(for: settings.names, validity: validity)
        let tls = try TLSContext.server(
            certificateChainPEM: Array(identity.certificatePEM.utf8),
            privateKeyPEM: Array(identity.privateKeyPEM.utf8), protocols: ["h2"])
        self.state = state
        authorityPEM = authority.certificatePEM
        listener = try Listener(address: settings.address, group: group) { arrival in
            Self.admit(arrival, tls, state)
        }
    }

    private static func admit(_ arrival: Listener.Arrival, _ tls: TLSContext, _ state: SimulatorState) {
        guard !arrival.isRefused, let session = try? tls.serverSession(),
            let connection = try? SimulatorConnection(
                TLSStream(over: arrival.socket, session: session), state)
        else { return arrival.socket.close(.reset) }
        connection.start()
    }

    package var address: SocketAddress { listener.address }

    /// `https://127.0.0.1:PORT`, for the configuration.
    package var url: String { "https://127.0.0.1:\(listener.address.port ?? 0)" }

    /// Where FCM's access tokens are fetched.
    package var tokenURL: String { url + "/token" }

    /// From now on a token is answered so; `*` stands for each token that has no answer of its own.
    package func script(_ token: String, _ answer: ScriptedAnswer) { state.script(token, answer) }

    /// Once a key is registered, only tokens signed by registered
    /// keys pass; without any, every well-formed one.
    package func register(teamID: String, keyID: String, _ key: ECDSAP256.PublicKey) {
        state.register(keyID: keyID, SimulatorState.APNsKey(teamID: teamID, publicKey: key))
    }

    /// The same for service accounts.
    package func register(clientEmail: String, _ key: RSASHA256.PublicKey) {
        state.register(account: clientEmail, key)
    }

    package func revokeAccessTokens() { state.revokeAccessTokens() }

    /// The newest pushes, oldest first, of one token or of all.
    package func pushes(token: String? = nil, after sequence: Int = 0, limit: Int = .max) -> [SimulatedPush] {
        state.pushes(token: token, after: sequence, limit: limit)
    }

    package var statistics: SimulatorStatistics { state.statistics }

    /// Forgets pushes, scripts and counts.
    package func reset() { state.reset() }

    /// Stops listening; connections live on.
    package func close() { listener.close() }
}
