import Domain
import Glibc

/// Everything an operator can set, with its defaults; `ConfigKey` names each key.
struct Config: Equatable, Sendable {
    struct Listener: Equatable, Sendable {
        /// `127.0.0.1:8080`, `[::1]:8080`, `*:8080`; port 0 lets the kernel choose.
        var listen: String
        /// PEM; both or neither.
        var certificateFile: String?
        var keyFile: String?
    }

    struct Database: Equatable, Sendable {
        /// `postgresql://…`; nil: the private Postgres in `embeddedDirectory`.
        var url: String?
        var embeddedDirectory: String?

        /// Where the private Postgres lives if no database is named.
        static let standardDirectory = "./data"

        /// The directory of the private Postgres; nil if a database of somebody else's is used.
        var privateDirectory: String? {
            url == nil ? embeddedDirectory ?? Self.standardDirectory : nil
        }
    }

    struct Providers: Equatable, Sendable {
        var apnsProductionURL = "https://api.push.apple.com"
        var apnsSandboxURL = "https://api.sandbox.push.apple.com"
        var apnsCAFile: String?
        var fcmURL = "https://fcm.googleapis.com"
        var fcmCAFile: String?
        var webPushCAFile: String?
        var webPushAllowsPrivateAddresses = false
    }

    struct Limits: Equatable, Sendable {
        /// Open at once on the public listener; those above are answered 503. Nil: as many as the process's
        /// descriptors allow, which is also the most that is taken.
        var connections: Int?
        /// Open at once on the admin listener.
        var adminConnections = 256
        var requestBodyBytes = 1_048_576
        /// Live output that a slow device may owe before it is closed with 4008.
        var unreadOutputBytes = 262_144
        /// Event loops that share the connections: one for each core unless named, from two to eight.
        var eventLoops = min(8, max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        /// How long requests under way may take to end when the server stops.
        var drainMilliseconds = 5_000
        /// Rows that the audit of PD-1 looks at per second, at most.
        var auditRowsPerSecond = 4_000
        /// Between two of its rounds.
        var auditPauseMilliseconds: Int64 = 10_000
    }

    struct Lease: Equatable, Sendable {
        var durationMilliseconds: Int64 = 5_000
        var renewMilliseconds: Int64 = 1_000
    }

    var publicListener = Listener(listen: "127.0.0.1:8080")
    var trustedProxies: [String] = []
    var corsOrigins: [String] = []
    var adminListener = Listener(listen: "127.0.0.1:8081")
    var adminTokenFile = "./data/admin.token"
    var database = Database()
    var masterKeyFile = "./data/master.key"
    var providers = Providers()
    /// The policy of every tenant that does not set its own.
    var policy = Policy()
    var limits = Limits()
    var lease = Lease()

    init() {}
}
