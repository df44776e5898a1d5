package import Domain

/// Everything an operator can set, with its defaults; `ConfigKey` names each key.
package struct Config: Equatable, Sendable {
    package struct Listener: Equatable, Sendable {
        /// `127.0.0.1:8080`, `[::1]:8080`, `*:8080`; port 0 lets the kernel choose.
        package var listen: String
        /// PEM; both or neither.
        package var certificateFile: String?
        package var keyFile: String?
    }

    package struct Database: Equatable, Sendable {
        /// `postgresql://…`; nil: the private Postgres in `embeddedDirectory`.
        package var url: String?
        package var embeddedDirectory: String?

        /// Where the private Postgres lives if no database is named.
        package static let standardDirectory = "./data"

        /// The directory of the private Postgres; nil if a database of somebody else's is used.
        package var privateDirectory: String? {
            url == nil ? embeddedDirectory ?? Self.standardDirectory : nil
        }
    }

    package struct Providers: Equatable, Sendable {
        package var apnsProductionURL = "https://api.push.apple.com"
        package var apnsSandboxURL = "https://api.sandbox.push.apple.com"
        package var apnsCAFile: String?
        package var fcmURL = "https://fcm.googleapis.com"
        package var fcmCAFile: String?
        package var webPushCAFile: String?
        package var webPushAllowsPrivateAddresses = false
    }

    package struct Limits: Equatable, Sendable {
        /// Open at once on the public listener; those above are answered 503.
        package var connections = 10_000
        /// Open at once on the admin listener.
        package var adminConnections = 256
        package var requestBodyBytes = 1_048_576
        /// Live output that a slow device may owe before it is closed with 4008.
        package var unreadOutputBytes = 262_144
        /// Event loops that share the connections.
        package var eventLoops = 4
        /// How long requests under way may take to end when the server stops.
        package var drainMilliseconds = 5_000
    }

    package struct Lease: Equatable, Sendable {
        package var durationMilliseconds: Int64 = 5_000
        package var renewMilliseconds: Int64 = 1_000
    }

    package var publicListener = Listener(listen: "127.0.0.1:8080")
    package var trustedProxies: [String] = []
    package var corsOrigins: [String] = []
    package var adminListener = Listener(listen: "127.0.0.1:8081")
    package var adminTokenFile = "./data/admin.token"
    package var database = Database()
    package var masterKeyFile = "./data/master.key"
    package var providers = Providers()
    /// The policy of every tenant that does not set its own.
    package var policy = Policy()
    package var limits = Limits()
    package var lease = Lease()

    package init() {}
}
