import EventLoop
import Wire

/// What every acceptance case can be told: which server, and whether one of its rules is switched off.
struct CaseOptions: Sendable {
    static let shared = [
        LoadtestCommand.rouse,
        Option("server", "URL", "Hold a running server to it instead, at its public listener"),
        Option("admin", "URL", "And its admin listener"),
        Option("admin-token-file", "FILE", "And the file with its admin token"),
        Option("providers", "URL", "And the control endpoint of its simulated providers"),
        .flag("sabotage", "Switch the rule off that the case is about: it must come out red"),
        LoadtestCommand.json,
    ]

    let json: String?
    /// The rule that is switched off, if one is.
    let disabledRule: String?
    private let program: String
    private let given: (server: GivenServer, providers: SocketAddress)?

    /// - Parameter rule: what `--sabotage` switches off.
    init(_ options: Options, rule: String?) throws(UsageFailure) {
        json = options["json"]
        program = options["rouse"] ?? ServerProcess.standardProgram
        if options.has("sabotage"), rule == nil { throw UsageFailure("this case has no --sabotage") }
        disabledRule = options.has("sabotage") ? rule : nil
        given = try Self.given(options)
        if given != nil, disabledRule != nil {
            throw UsageFailure("--sabotage needs a server of its own: leave out --server")
        }
    }

    private static func given(_ options: Options) throws(UsageFailure) -> (GivenServer, SocketAddress)? {
        guard let server = options["server"] else { return nil }
        let token = try options.required("admin-token-file")
        guard let text = LocalFiles.readText(token) else { throw UsageFailure("\(token) cannot be read") }
        let given = GivenServer(
            publicAddress: try GivenServer.address(server, of: "server"),
            adminAddress: try GivenServer.address(try options.required("admin"), of: "admin"),
            adminToken: text.split(whereSeparator: \.isWhitespace).joined())
        return (given, try GivenServer.address(try options.required("providers"), of: "providers"))
    }

    /// Whether the run starts a server, which it may kill, and providers of both kinds.
    var hasOwnServer: Bool { given == nil }

    /// The server, ready, with a tenant of its own.
    ///
    /// - Parameters:
    ///   - keptPushes: how many requests the providers must remember.
    ///   - isStrict: whether they look into requests; without it FCM's tokens are not seen.
    func open(
        keptPushes: Int, isStrict: Bool = false, limits: [String: Int] = [:], needsFCM: Bool = false,
        policy: [String: Int] = [:], on loop: EventLoop
    ) async throws -> CaseTarget {
        if let disabledRule { Progress.say("SABOTAGE: the rule \(disabledRule) is switched off") }
        if let given {
            let name = "load-" + Hex.encode(SecureRandom.bytes(count: 4))
            let tenant = try await LoadTenant.create(name, on: given.server, policy: policy, loop)
            return CaseTarget(
                server: given.server, providers: GivenProviders(control: given.providers, loop: loop),
                processes: nil, tenant: tenant, loop: loop)
        }
        let directory = try LocalFiles.makeScratchDirectory()
        let providers = try await ProviderProcess.start(
            in: directory, keep: keptPushes, strict: isStrict, on: loop)
        var settings = ServerSettings()
        settings.limits = limits
        settings.arguments = disabledRule.map { ["--disable-rule", $0] } ?? []
        let server = try await ServerProcess(
            program: program, directory: directory, providers: providers, settings: settings, on: loop)
        Progress.say("starting the server")
        try await server.start()
        let tenant = try await LoadTenant.create(
            on: server, fcm: needsFCM ? providers.url : nil, policy: policy, loop)
        return CaseTarget(
            server: server, providers: providers, processes: (server, providers), tenant: tenant, loop: loop)
    }

    /// The report's first line.
    func title(_ text: String) -> String {
        disabledRule.map { "SABOTAGE (\($0) switched off; this must come out red): \(text)" } ?? text
    }

    /// Prints the report and throws if something does not hold.
    func publish(_ report: Report) throws(LoadtestFailure) {
        if disabledRule != nil, report.violations.isEmpty {
            Progress.say("SABOTAGE: nothing was found, so the case cannot fail")
        }
        try report.publish(json: json)
    }
}

/// The server that a case is held against, its providers and its tenant.
struct CaseTarget: Sendable {
    let server: any ServerAccess
    let providers: any ProviderControl
    /// Nil for a server given by address.
    let processes: (server: ServerProcess, providers: ProviderProcess)?
    let tenant: LoadTenant
    let loop: EventLoop

    func metrics() async throws(LoadtestFailure) -> PushCounts {
        PushCounts(try await MetricsPage.read(server, loop))
    }

    func template(lines: Int? = nil, _ conversations: RequestTemplate.Conversations) -> RequestTemplate {
        RequestTemplate(
            apiKey: tenant.apiKey, host: "\(server.publicAddress)", lines: lines,
            conversations: conversations)
    }

    /// A profile of a user's device, which comes with the same credential each time, as devices do.
    func profile(_ user: Int, _ device: String) throws(CryptoError) -> DeviceProfile {
        let token = try tenant.credential(of: user, device: device)
        return DeviceProfile { token }
    }

    /// What of one device's own calls is asked of so many users.
    func ask(
        _ users: Int, as device: String, _ target: String
    ) async throws(LoadtestFailure) -> [JSONNode] {
        let (tenant, address) = (tenant, server.publicAddress)
        return try await RequestBatch.json(users, to: address, on: loop) { user in
            HTTPRequestEncoder.bytes(
                .get, target, host: address, bearer: try tenant.credential(of: user, device: device))
        }
    }

    /// What the backend is told of so many users' devices.
    func devices(of users: Range<Int>) async throws(LoadtestFailure) -> [DeviceStatus?] {
        let (key, address) = (tenant.apiKey, server.publicAddress)
        return try await RequestBatch.json(users.count, to: address, on: loop) { index in
            HTTPRequestEncoder.bytes(
                .get, "/v1/users/\(LoadTenant.user(users.lowerBound + index))/devices", host: address,
                bearer: key)
        }.map { DeviceStatus($0) }
    }

    /// Acknowledges by HTTP, up to a seq for each user; the statuses of the answers.
    func apply(_ seqs: [(user: Int, seq: Int64)]) async throws(LoadtestFailure) -> [Int] {
        let (tenant, address) = (tenant, server.publicAddress)
        return try await RequestBatch.run(seqs.count, to: address, on: loop) { index in
            HTTPRequestEncoder.bytes(
                .post, "/v1/mailbox/applied", host: address,
                bearer: try tenant.credential(of: seqs[index].user),
                body: Array(#"{"mailbox_seq":\#(seqs[index].seq)}"#.utf8))
        }.map(\.status)
    }

    /// Waits until no task is open; false if some still are.
    func tasksEnd(withinSeconds limit: Int) async throws(LoadtestFailure) -> Bool {
        for _ in 0..<(limit * 5) {
            if try await metrics().tasksOpen == 0 { return true }
            try? await Task.sleep(for: .milliseconds(200))
        }
        return false
    }
}
