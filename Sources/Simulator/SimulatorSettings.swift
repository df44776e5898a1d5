package import EventLoop
package import Wire

/// How the simulated providers behave.
package struct SimulatorSettings: Sendable {
    package enum Validation: Sendable {
        /// Headers, tokens, payloads and sizes are checked as the providers check them.
        case strict
        /// Nothing is parsed that need not be: for load.
        case light
    }

    /// Where APNs, FCM and its OAuth endpoint listen; port 0 lets the kernel choose.
    package var address = SocketAddress.loopback(port: 0)
    package var validation = Validation.strict
    /// What the certificate is for.
    package var names = X509.Name.loopback
    /// Who signs the certificate; nil: an authority made at the start.
    package var authority: X509.Authority?
    /// Streams allowed on a connection once it has shown a valid token.
    package var maximumStreams = 1_000
    /// Whether an APNs connection allows one stream until it has shown a valid token, as Apple's do.
    package var startsWithOneStream = true
    /// Pushes kept for the list; the oldest go first.
    package var keptPushes = 100_000
    /// How long an access token of the OAuth endpoint lives.
    package var accessTokenSeconds: Int64 = 3_600

    package init() {}
}
