import EventLoop

/// One key of the config: its path, and how its value is checked and
/// kept. The policy's keys are elsewhere: they are those of the API.
struct ConfigKey: Sendable {
    /// `public.tls.certificate_file`.
    let path: String
    let set: @Sendable (inout Config, ConfigValue) throws(ConfigComplaint) -> Void

    /// `ROUSE_PUBLIC_TLS_CERTIFICATE_FILE`.
    var variable: String { Self.variable(path) }

    static func variable(_ path: String) -> String {
        "ROUSE_" + String(path.map { $0 == "." ? "_" : Character($0.uppercased()) })
    }

    static let all: [ConfigKey] = listeners + storage + providers + limits

    private static let listeners: [ConfigKey] = [
        address("public.listen", \.publicListener.listen),
        file("public.tls.certificate_file", \.publicListener.certificateFile),
        file("public.tls.key_file", \.publicListener.keyFile),
        list("public.trusted_proxies", \.trustedProxies),
        list("public.cors_origins", \.corsOrigins),
        address("admin.listen", \.adminListener.listen),
        file("admin.tls.certificate_file", \.adminListener.certificateFile),
        file("admin.tls.key_file", \.adminListener.keyFile),
        text("admin.token_file", \.adminTokenFile),
    ]

    private static let storage: [ConfigKey] = [
        ConfigKey(path: "database.url") { (config, value) throws(ConfigComplaint) in
            config.database.url = try postgresURL(value)
        },
        file("database.embedded.directory", \.database.embeddedDirectory),
        text("master_key_file", \.masterKeyFile),
        number("lease.duration_ms", \.lease.durationMilliseconds, 1_000...600_000),
        number("lease.renew_ms", \.lease.renewMilliseconds, 100...60_000),
    ]

    private static let providers: [ConfigKey] = [
        url("providers.apns.production_url", \.providers.apnsProductionURL),
        url("providers.apns.sandbox_url", \.providers.apnsSandboxURL),
        file("providers.apns.ca_file", \.providers.apnsCAFile),
        url("providers.fcm.url", \.providers.fcmURL),
        file("providers.fcm.ca_file", \.providers.fcmCAFile),
        file("providers.webpush.ca_file", \.providers.webPushCAFile),
        ConfigKey(path: "providers.webpush.allow_private_addresses") {
            (config, value) throws(ConfigComplaint) in
            config.providers.webPushAllowsPrivateAddresses = try value.flag()
        },
    ]

    private static let limits: [ConfigKey] = [
        ConfigKey(path: "limits.connections") { (config, value) throws(ConfigComplaint) in
            config.limits.connections = value.isNull ? nil : Int(try value.number(in: 1...1_000_000))
        },
        count("limits.admin_connections", \.limits.adminConnections, 1...100_000),
        count("limits.request_body_bytes", \.limits.requestBodyBytes, 1_024...67_108_864),
        count("limits.unread_output_bytes", \.limits.unreadOutputBytes, 16_384...67_108_864),
        count("limits.event_loops", \.limits.eventLoops, 1...64),
        count("limits.drain_ms", \.limits.drainMilliseconds, 0...600_000),
        count("limits.audit_rows_per_second", \.limits.auditRowsPerSecond, 100...10_000_000),
        number("limits.audit_pause_ms", \.limits.auditPauseMilliseconds, 10...3_600_000),
    ]
}

extension ConfigKey {
    private typealias Path<Value> = WritableKeyPath<Config, Value> & Sendable

    private static func text(_ path: String, _ place: any Path<String>) -> ConfigKey {
        ConfigKey(path: path) { (config, value) throws(ConfigComplaint) in
            let text = try value.text()
            guard !text.isEmpty else { throw ConfigComplaint("must not be empty") }
            config[keyPath: place] = text
        }
    }

    private static func file(_ path: String, _ place: any Path<String?>) -> ConfigKey {
        ConfigKey(path: path) { (config, value) throws(ConfigComplaint) in
            config[keyPath: place] = try value.optionalText()
        }
    }

    private static func list(_ path: String, _ place: any Path<[String]>) -> ConfigKey {
        ConfigKey(path: path) { (config, value) throws(ConfigComplaint) in
            config[keyPath: place] = try value.list()
        }
    }

    private static func count(_ path: String, _ place: any Path<Int>, _ range: ClosedRange<Int64>)
        -> ConfigKey
    {
        ConfigKey(path: path) { (config, value) throws(ConfigComplaint) in
            config[keyPath: place] = Int(try value.number(in: range))
        }
    }

    private static func number(_ path: String, _ place: any Path<Int64>, _ range: ClosedRange<Int64>)
        -> ConfigKey
    {
        ConfigKey(path: path) { (config, value) throws(ConfigComplaint) in
            config[keyPath: place] = try value.number(in: range)
        }
    }

    private static func address(_ path: String, _ place: any Path<String>) -> ConfigKey {
        ConfigKey(path: path) { (config, value) throws(ConfigComplaint) in
            let text = try value.text()
            guard SocketAddress(parsing: text) != nil else {
                throw ConfigComplaint("expected an address and port such as 127.0.0.1:8080")
            }
            config[keyPath: place] = text
        }
    }

    private static func url(_ path: String, _ place: any Path<String>) -> ConfigKey {
        ConfigKey(path: path) { (config, value) throws(ConfigComplaint) in
            let text = try value.text()
            guard WebAddress(parsing: text)?.isSecure == true else {
                throw ConfigComplaint("expected an https URL without a path")
            }
            config[keyPath: place] = text
        }
    }

    /// The URL may hold a password: the complaint does not repeat it.
    private static func postgresURL(_ value: ConfigValue) throws(ConfigComplaint) -> String? {
        guard let text = try value.optionalText() else { return nil }
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            throw ConfigComplaint("expected postgresql://…")
        }
        return text
    }
}
