import EventLoop
import Glibc

/// Must show 3 of the main job: what was acknowledged survives `kill -9`, and is told once.
enum CrashRun {
    static let command = LoadtestCommand(
        name: "crash",
        summary: "kill -9 under load, again and again: nothing acknowledged is lost or told twice",
        options: [
            LoadtestCommand.rouse, Option("rounds", "N", "How often something is killed (6)"),
            Option("seconds", "S", "How long messages stream in a round before the kill (2)"),
            Option("users", "N", "Recipients, each with one offline device (100)"),
            Option("connections", "N", "Keep-alive connections that send (8)"), LoadtestCommand.json,
        ],
        details: """
            Rounds take turns: the server under a stream of messages, the server between two messages, the
            Postgres below it under a stream. A message without an answer is repeated until it is acknowledged.
            After each round every mailbox, badge and push is looked at from outside; exit code 0 only if all
            holds.
            """,
        run: { options in try await Run(options).run() })

    /// What a round kills, and when.
    enum Blow: String, CaseIterable, Sendable {
        case serverUnderStream = "server, under a stream"
        case serverBetweenMessages = "server, between two messages"
        case postgresUnderStream = "Postgres, under a stream"

        static func of(round: Int) -> Blow { allCases[(round - 1) % allCases.count] }
    }

    struct Run: Sendable {
        private static let pushSeconds = 60

        private let program: String
        private let rounds: Int
        private let seconds: Int
        private let users: Int
        private let connections: Int
        private let json: String?
        private let loop = EventLoop(label: "crash")
        private let ledger = CrashLedger()

        init(_ options: Options) throws(UsageFailure) {
            program = options["rouse"] ?? ServerProcess.standardProgram
            rounds = try options.number("rounds", in: 1...10_000, default: 6)
            seconds = try options.number("seconds", in: 1...600, default: 2)
            users = try options.number("users", in: 1...10_000, default: 100)
            connections = try options.number("connections", in: 1...500, default: 8)
            json = options["json"]
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let providers = try await ProviderProcess.start(
                in: directory, keep: 5_000_000, strict: true, on: loop)
            let server = try await ServerProcess(
                program: program, directory: directory, providers: providers, on: loop)
            try await server.start()
            let tenant = try await LoadTenant.create(on: server, loop)
            try await RegistrationLoad.run(tenant, users: users, on: server, loop)
            let witness = CrashWitness(
                server: server, providers: providers, tenant: tenant, users: users, loop: loop)
            let template = RequestTemplate(
                apiKey: tenant.apiKey, host: "\(server.publicAddress)", lines: nil, conversations: .perMessage
            )
            var report = Report("crash: \(rounds) rounds, \(users) users with one offline device each")
            for round in 1...rounds where report.violations.isEmpty {
                try await strike(round, server, template)
                report.violations += try await check(witness, round)
            }
            try await add(witness, to: &report)
            try report.publish(json: json)
        }

        // MARK: A round

        private func strike(_ round: Int, _ server: ServerProcess, _ template: RequestTemplate) async throws {
            let blow = Blow.of(round: round)
            let before = ledger.snapshot.acknowledged.count
            let begun = MonotonicClock.now()
            let stream = await startStream(template, server, blow)
            try await Task.sleep(for: .milliseconds(seconds * 1_000))
            let struck = MonotonicClock.now()
            switch blow {
            case .serverUnderStream:
                try await server.kill()
                try await server.start()
            case .serverBetweenMessages:
                await settle(stream)
                try await server.kill()
                try await server.start()
            case .postgresUnderStream: try await killPostgres(server)
            }
            let ready = Double(MonotonicClock.now() - struck) / 1e6
            if blow != .serverBetweenMessages { await settle(stream) }
            let count = ledger.snapshot.acknowledged.count - before
            let elapsed = Double(MonotonicClock.now() - begun) / 1e6
            Progress.say(
                "round \(round), \(blow.rawValue): \(count) messages in \(Decimal.text(elapsed)) ms, "
                    + "ready \(Decimal.text(ready)) ms after the blow")
        }

        private func startStream(_ template: RequestTemplate, _ server: ServerProcess, _ blow: Blow) async
            -> LoopBound<CrashStream>
        {
            let (users, ledger, loop) = (users, ledger, loop)
            let count = blow == .serverBetweenMessages ? 1 : connections
            return await withCheckedContinuation { continuation in
                loop.post {
                    let stream = CrashStream(template, users: users, ledger: ledger, on: loop)
                    stream.start(server.publicAddress, connections: count)
                    continuation.resume(returning: LoopBound(stream, on: loop))
                }
            }
        }

        /// Returns when every message sent is acknowledged.
        private func settle(_ stream: LoopBound<CrashStream>) async {
            let loop = loop
            await withCheckedContinuation { continuation in
                loop.post { stream.value.end { continuation.resume() } }
            }
        }

        /// The server must bring it back by itself, and live on.
        private func killPostgres(_ server: ServerProcess) async throws {
            guard let postmaster = server.postgres.postmaster else {
                throw LoadtestFailure("the private Postgres does not run")
            }
            let pid = server.pid
            kill(postmaster, SIGKILL)
            try await Task.sleep(for: .milliseconds(300))
            try await server.becomeReady()
            guard server.pid == pid, !server.hasEnded else {
                throw LoadtestFailure("the server did not survive the end of its Postgres")
            }
        }

        // MARK: Looking

        private func check(_ witness: CrashWitness, _ round: Int) async throws -> [String] {
            let contents = ledger.snapshot
            let arrived = try await witness.pushesArrive(
                contents.acknowledged, withinSeconds: Self.pushSeconds)
            if !arrived { Progress.say("round \(round): not every push arrived in \(Self.pushSeconds) s") }
            let evidence = try await witness.look(contents)
            let found = evidence.flatMap { CrashChecker.violations(of: $0) }
            let odd = contents.unexpected.map { "\($0.value) answers \($0.key)" }
            return (found + odd).map { "round \(round): \($0)" }
        }

        private func add(_ witness: CrashWitness, to report: inout Report) async throws {
            let contents = ledger.snapshot
            let evidence = try await witness.look(contents)
            let pushes = evidence.reduce(0) { $0 + $1.pushes.count }
            let entries = evidence.reduce(0) { $0 + $1.entries.count }
            report.add("sent", "messages sent", contents.sent)
            report.add("acknowledged", "messages acknowledged", contents.acknowledged.count)
            report.add("entries", "entries in the mailboxes", entries)
            report.add("pushes", "requests at the provider", pushes)
            report.add("repeated", "requests repeated under their apns-id", pushes - entries)
            report.add(
                "unanswered", "messages whose connection broke, and were repeated", contents.unanswered)
            report.add("unavailable", "messages answered 503 or 429, and were repeated", contents.unavailable)
        }
    }
}
