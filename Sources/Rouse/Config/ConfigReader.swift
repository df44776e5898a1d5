import Wire

/// Reads the config: the file first, then what the environment overrides, then what must fit together.
struct ConfigReader: Sendable {
    /// The file's text and its name for the messages; nil: no file.
    var file: (name: String, bytes: [UInt8])?
    var environment: [String: String]

    /// Environment variables that begin like a key's and belong to the commands.
    static let clientVariables: Set<String> = [
        "ROUSE_SERVER", "ROUSE_ADMIN", "ROUSE_API_KEY", "ROUSE_CLIENT_SECRET", "ROUSE_TENANT", "ROUSE_CONFIG",
    ]

    init(file: (name: String, bytes: [UInt8])?, environment: [String: String]) {
        self.file = file
        self.environment = environment
    }

    func read() throws(ConfigError) -> Config {
        var config = Config()
        if let file { try apply(file.bytes, named: file.name, to: &config) }
        try applyEnvironment(to: &config)
        try checkTogether(config)
        return config
    }

    /// Variables that look like ours and name no key: a typo must not pass in silence, and
    /// yet an orchestrator may set variables of that look for its own ends.
    var unknownVariables: [String] {
        let known = Set(ConfigKey.all.map(\.variable))
            .union(PolicyKeys.names.map { ConfigKey.variable("policy.\($0)") }).union(Self.clientVariables)
        return environment.keys.filter { $0.hasPrefix("ROUSE_") && !known.contains($0) }.sorted()
    }

    // MARK: - The file

    private func apply(_ bytes: [UInt8], named name: String, to config: inout Config) throws(ConfigError) {
        let root: JSON5Value
        do { root = try JSON5Document(parsing: bytes).root } catch {
            throw ConfigError(source: name, line: error.line, problem: error.problem)
        }
        guard case .object = root.content else {
            throw ConfigError(
                source: name, line: root.line, problem: "expected an object, found \(root.kindInWords)")
        }
        for member in root.members { try apply(member, path: member.key, in: name, to: &config) }
    }

    private func apply(
        _ member: JSON5Value.Member, path: String, in file: String, to config: inout Config
    ) throws(ConfigError) {
        do {
            if path.hasPrefix("policy.") {
                return try PolicyKeys.set(member.key, .file(member.value), in: &config.policy)
            }
            if let key = ConfigKey.all.first(where: { $0.path == path }) {
                return try key.set(&config, .file(member.value))
            }
            try checkSection(member, path)
        } catch {
            throw ConfigError(source: file, line: member.line, key: path, problem: error.text)
        }
        for inner in member.value.members {
            try apply(inner, path: "\(path).\(inner.key)", in: file, to: &config)
        }
    }

    /// A section must be one, and an object; null switches a section off where it can be.
    private func checkSection(_ member: JSON5Value.Member, _ path: String) throws(ConfigComplaint) {
        let isSection = path == "policy" || ConfigKey.all.contains { $0.path.hasPrefix(path + ".") }
        guard isSection else { throw ConfigComplaint("unknown key\(suggestion(for: path))") }
        if member.value.isNull, path.hasSuffix("tls") || path == "database.embedded" { return }
        guard case .object = member.value.content else {
            throw ConfigComplaint("expected an object, found \(member.value.kindInWords)")
        }
    }

    private func suggestion(for path: String) -> String {
        let known = ConfigKey.all.map(\.path)
        guard let near = Spelling.nearest(to: path, among: known) else { return "" }
        return "; did you mean \(near)?"
    }

    // MARK: - The environment

    private func applyEnvironment(to config: inout Config) throws(ConfigError) {
        for key in ConfigKey.all {
            guard let text = environment[key.variable] else { continue }
            do { try key.set(&config, .variable(text)) } catch {
                throw ConfigError(source: key.variable, key: key.path, problem: error.text)
            }
            // Whoever names a database in the environment means it instead of the file's private one.
            if key.path == "database.url", !text.isEmpty { config.database.embeddedDirectory = nil }
        }
        for name in PolicyKeys.names {
            let path = "policy.\(name)"
            guard let text = environment[ConfigKey.variable(path)] else { continue }
            do { try PolicyKeys.set(name, .variable(text), in: &config.policy) } catch {
                throw ConfigError(source: ConfigKey.variable(path), key: path, problem: error.text)
            }
        }
    }

    // MARK: - What must fit together

    private func checkTogether(_ config: Config) throws(ConfigError) {
        func refuse(_ key: String, _ problem: String) -> ConfigError {
            ConfigError(source: file?.name ?? "config", key: key, problem: problem)
        }
        for (name, listener) in [("public", config.publicListener), ("admin", config.adminListener)]
        where (listener.certificateFile == nil) != (listener.keyFile == nil) {
            throw refuse("\(name).tls", "certificate_file and key_file belong together")
        }
        if config.database.url != nil, config.database.embeddedDirectory != nil {
            throw refuse("database", "url and embedded exclude each other")
        }
        if config.lease.renewMilliseconds * 2 > config.lease.durationMilliseconds {
            throw refuse("lease.renew_ms", "must be at most half of lease.duration_ms")
        }
    }
}
