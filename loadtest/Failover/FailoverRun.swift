import EventLoop
import Glibc
import Wire

/// Must show 4 of the presence job: an owner that dies, hangs or is told to go, with a standby waiting.
enum FailoverRun {
    static let command = LoadtestCommand(
        name: "failover",
        summary:
            "Two servers on one database: the owner is killed, paused or ended under load, again and again",
        options: [
            LoadtestCommand.rouse, Option("rounds", "N", "How often the owner is killed (20)"),
            Option("freezes", "N", "How often it is paused past its lease (3)"),
            Option("naps", "N", "How often it is paused for about as long as its lease (4)"),
            Option("drains", "N", "How often it is told to end (2)"),
            Option("seconds", "S", "How long messages stream before each blow (2)"),
            Option("users", "N", "Recipients; each has an offline tablet, three of four a phone (60)"),
            Option(
                "connections", "N", "Keep-alive connections to each server, and half as many for NDJSON (2)"),
            Option("sabotage", "RULE", "lease-fences or close-releases-holds off: must come out red"),
            LoadtestCommand.json,
        ],
        details: """
            Phones apply at once, never, or late; they come back to whichever server takes them. After a blow
            the standby must be ready within 5 s of the lease's end, every acknowledged message be in its
            mailbox once, what was held for lost connections be pushed, and nothing be told twice but under its
            apns-id. A paused owner that wakes commits nothing, sends nothing and says so; after a shorter pause
            either server may own the data, never both. A planned end tells devices 1001, repeats nothing, and
            holds keep their deadlines.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private static let rules = ["lease-fences", "close-releases-holds"]

        private let program: String
        private let blows: [FailoverBlow]
        private let seconds: Int
        private let users: Int
        private let connections: Int
        private let arguments: [String]
        private let json: String?
        private let loop = EventLoop(label: "failover")

        init(_ options: Options) throws(UsageFailure) {
            program = options["rouse"] ?? ServerProcess.standardProgram
            blows = FailoverBlow.plan(
                kills: try options.number("rounds", in: 0...10_000, default: 20),
                freezes: try options.number("freezes", in: 0...1_000, default: 3),
                naps: try options.number("naps", in: 0...1_000, default: 4),
                drains: try options.number("drains", in: 0...1_000, default: 2))
            seconds = try options.number("seconds", in: 1...600, default: 2)
            users = try options.number("users", in: 4...10_000, default: 60)
            connections = try options.number("connections", in: 1...100, default: 2)
            if let rule = options["sabotage"], !Self.rules.contains(rule) {
                throw UsageFailure("option --sabotage needs \(Self.rules.joined(separator: " or "))")
            }
            arguments = options["sabotage"].map { ["--disable-rule", $0] } ?? []
            json = options["json"]
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let postgres = try await SharedPostgres.start(in: directory)
            let pair = try await FailoverPair.start(
                program: program, directory: directory, postgres: postgres, arguments: arguments, on: loop)
            let tenant = try await LoadTenant.create(on: pair.owner, loop)
            try await register(tenant, on: pair.owner)
            let leases = LeaseWatch(postgres)
            let watching = Task { await leases.watch() }
            defer { watching.cancel() }
            let addresses = pair.servers.map(\.publicAddress)
            let phones = try await FailoverPhones.connect(tenant, users: users, to: addresses)
            guard await phones.areOnline(withinMilliseconds: 20_000) else {
                throw LoadtestFailure("the phones do not come online: \(await phones.fleet.totals)")
            }
            let witness = SceneWitness(
                server: pair.owner, providers: pair.providers[0], tenant: tenant, loop: loop)
            let heavy = try await HeavyMailbox.fill(users, witness)
            let rounds = FailoverRounds(
                pair: pair, postgres: postgres, leases: leases, tenant: tenant, phones: phones,
                heavy: heavy, ledger: CrashLedger(), users: users, connections: connections,
                milliseconds: seconds * 1_000, loop: loop)
            try await perform(rounds).publish(json: json)
        }

        private func register(_ tenant: LoadTenant, on server: ServerProcess) async throws {
            try await RegistrationLoad.run(tenant, users: users, on: server, loop)
            for user in 0..<users where PhoneEvidence.Manner.of(user: user) != nil {
                _ = try await WebCall.json(
                    .put, "/v1/users/\(LoadTenant.user(user))/devices/\(LoadTenant.phone)",
                    to: server.publicAddress, authorization: "Bearer \(tenant.apiKey)",
                    body: LoadTenant.registration(user, device: LoadTenant.phone), on: loop)
            }
        }

        private func perform(_ rounds: FailoverRounds) async throws -> Report {
            var outcomes: [FailoverOutcome] = []
            for (index, blow) in blows.enumerated() where outcomes.allSatisfy(\.violations.isEmpty) {
                let outcome = try await rounds.perform(blow, round: index + 1)
                Progress.say(outcome.line)
                outcomes.append(outcome)
            }
            var report = Report(
                "failover: \(outcomes.count) of \(blows.count) rounds, \(users) users; times in milliseconds")
            report.tables = [FailoverOutcome.table(outcomes)]
            report.violations = outcomes.flatMap(\.violations)
            try await rounds.finish(&report)
            return report
        }
    }
}
