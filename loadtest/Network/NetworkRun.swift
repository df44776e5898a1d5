import EventLoop
import Glibc
import Synchronization

/// N-2: clients whose end vanishes, falls silent, or answers at the last moment, in real networks.
enum NetworkRun {
    static let command = LoadtestCommand(
        name: "n2",
        summary: "N-2: zombies, frozen and half-open clients in network namespaces; a push for each (root)",
        options: [
            LoadtestCommand.rouse,
            Option(
                "scenes", "LIST",
                "With commas: \(Scene.allCases.map(\.rawValue).joined(separator: ", ")) (all)"),
            Option("runs", "N", "How often a zombie's link is cut (20)"),
            Option("zombies", "N", "How many devices become zombies at once (200)"),
            Option("repeats", "N", "How often each other scene is performed (2)"),
            Option("sabotage", "", "Switch the rule off by which PUSHED is no proof: must come out red"),
            Option("disable-rule", "NAME", "Switch another rule off"),
            LoadtestCommand.json,
        ],
        details: """
            zombie: the link is cut, then kill -9 of the client: no FIN, no RST. zombies: many at once. other:
            beside a device that is online and applies. frozen: SIGSTOP while the kernel acknowledges. thawed:
            it wakes one second before its window closes. route: the server's side loses interface, route or
            neighbour. closed: a close frame or a plain FIN. applied: APPLIED one moment before each deadline.
            Performances overlap, each with a user, a namespace and a client process of its own; the networks
            are removed at the end, also after ^C. Times are those of the server's record, of the kernel's
            list of sockets, and of the provider.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        /// Client processes start so far apart: links are not cut all in one moment.
        private static let apartMilliseconds = 150

        private let program: String
        private let plan: [SceneAct]
        private let arguments: [String]
        private let json: String?
        private let loop = EventLoop(label: "n2")

        init(_ options: Options) throws(UsageFailure) {
            program = options["rouse"] ?? ServerProcess.standardProgram
            guard let scenes = Scene.list(options["scenes"] ?? "all") else {
                throw UsageFailure("option --scenes names one that is unknown")
            }
            plan = SceneAct.plan(
                scenes, runs: try options.number("runs", in: 1...100, default: 20),
                zombies: try options.number("zombies", in: 1...5_000, default: 200),
                repeats: try options.number("repeats", in: 1...5, default: 2))
            let rules = [options.has("sabotage") ? "pushed-is-no-proof" : nil, options["disable-rule"]]
            arguments = rules.compactMap { $0 }.flatMap { ["--disable-rule", $0] }
            json = options["json"]
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let lab = try await NetworkLab.make(directory: directory)
            let providers = try await ProviderProcess.start(
                in: directory, keep: 1_000_000, strict: true, on: loop)
            let server = try await server(lab, providers, directory)
            let tenant = try await LoadTenant.create(on: server, loop)
            let witness = SceneWitness(server: server, providers: providers, tenant: tenant, loop: loop)
            let watch = SocketWatch()
            let watching = Task { await watch.watch(port: Int(server.publicAddress.port ?? 0)) }
            defer { watching.cancel() }
            let stage = SceneStage(witness: witness, lab: lab, watch: watch, directory: directory)
            var seen = try await perform(on: stage)
            let pushes = try await witness.pushes()
            for index in seen.indices { seen[index].take(pushes) }
            var report = SceneReport.of(seen)
            report.violations += try await AuditWitness.violations(of: server, loop)
            try report.publish(json: json)
        }

        private func server(_ lab: NetworkLab, _ providers: ProviderProcess, _ directory: String)
            async throws -> ServerProcess
        {
            var settings = ServerSettings()
            settings.host = lab.addresses.server
            settings.arguments = arguments
            settings.limits = AuditWitness.limits
            let server = try await ServerProcess(
                program: program, directory: directory, providers: providers, settings: settings, on: loop)
            try await server.start()
            return server
        }

        private func perform(on stage: SceneStage) async throws -> [SceneEvidence] {
            let progress = SceneProgress(total: plan.count)
            return try await withThrowingTaskGroup(of: [SceneEvidence].self) { group in
                for (index, act) in plan.enumerated() {
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(index * Self.apartMilliseconds))
                        let seen = try await stage.perform(act)
                        progress.finished(act)
                        return seen
                    }
                }
                var all: [SceneEvidence] = []
                for try await seen in group { all += seen }
                return all.sorted { ($0.user, $0.device) < ($1.user, $1.device) }
            }
        }
    }
}

/// Tells how far the performances are, on standard error.
private final class SceneProgress: Sendable {
    private let left: Atomic<Int>
    private let total: Int

    init(total: Int) {
        self.total = total
        left = Atomic(total)
        Progress.say("\(total) performances, each about 25 s, overlapping")
    }

    func finished(_ act: SceneAct) {
        let left = left.subtract(1, ordering: .relaxed).newValue
        Progress.say("\(total - left) of \(total): \(act.name) is over")
    }
}

extension SceneEvidence {
    fileprivate mutating func take(_ pushes: [PushedMessage: [SeenPush]]) {
        let token = LoadTenant.token(user, device: device)
        self.pushes = pushes[PushedMessage(token: token, message: message)] ?? []
    }
}
