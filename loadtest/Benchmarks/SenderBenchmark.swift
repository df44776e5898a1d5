import Domain
import Engine
import EventLoop
import Providers
import Store
import Wire

/// P-1: the sender alone, against `h2load`, both with the same provider in the same run.
enum SenderBenchmark {
    static let command = LoadtestCommand(
        name: "p1", summary: "The sender alone beside h2load: CPU of a push",
        options: [
            Option("pushes", "N", "Pushes of one measurement (100000)"),
            Option("streams", "S", "Requests under way at most (1000)"),
            Option("rounds", "N", "Measurements of each, in turns; the medians count (3)"),
            LoadtestCommand.json,
        ],
        details: """
            Ours does all a push costs: opens the sealed token, composes the payload, names the request, encodes,
            encrypts, sends, reads the answer, reports. h2load repeats one prepared body and one set of fields.
            The provider runs in a process of its own and checks nothing.
            """,
        run: { options in try await Run(options).run() })

    struct Run: Sendable {
        private static let warmUp = 5_000

        private let pushes: Int
        private let streams: Int
        private let rounds: Int
        private let json: String?

        init(_ options: Options) throws(UsageFailure) {
            pushes = try options.number("pushes", in: 1_000...2_000_000, default: 100_000)
            streams = try options.number("streams", in: 1...10_000, default: 1_000)
            rounds = try options.number("rounds", in: 1...100, default: 3)
            json = options["json"]
        }

        func run() async throws {
            let directory = try LocalFiles.makeScratchDirectory()
            let loop = EventLoop(label: "setup")
            let providers = try await ProviderProcess.start(in: directory, keep: 1, strict: false, on: loop)
            Progress.say("preparing \(pushes) requests")
            let sealer = TokenSealer(MasterKey(bytes: SecureRandom.bytes(count: 32)))
            let prepared = PreparedPushes(count: pushes, sealing: sealer)
            let feed = try senders(providers, sealer)
            try await push(prepared.requests.prefix(Self.warmUp), through: feed)
            let reference = H2Load(directory: directory, payload: try await providers.newestPayload())
            var (ours, theirs): ([H2Load.Result], [H2Load.Result]) = ([], [])
            for round in 1...rounds {
                ours.append(try await measure(prepared, feed))
                theirs.append(try await reference.run(url: providers.url, pushes: pushes, streams: streams))
                Progress.say(
                    "round \(round): \(Decimal.text(ours[round - 1].cpuMicroseconds)) µs, h2load "
                        + "\(Decimal.text(theirs[round - 1].cpuMicroseconds)) µs")
            }
            try await confirm(providers)
            try report(ours, theirs, bodyBytes: reference.payload.count).publish(json: json)
        }

        private func senders(_ providers: ProviderProcess, _ sealer: TokenSealer) throws -> SenderFeed {
            guard
                var settings = ProviderSettings(
                    apnsProduction: providers.url, apnsSandbox: providers.url, fcm: providers.url)
            else { throw LoadtestFailure("\(providers.url) is no address of a provider") }
            settings.apnsTrust = .file(providers.authorityFile)
            settings.fcmTrust = .file(providers.authorityFile)
            settings.maximumStreamsPerConnection = streams
            let senders = try ProviderSenders(
                settings, group: EventLoopGroup(count: 1, label: "sender"), shards: 1, store: TokenShelf(),
                tokens: sealer, secrets: sealer)
            let feed = SenderFeed(senders, limit: streams)
            senders.start([try credential(sealer)], reporting: feed)
            return feed
        }

        private func credential(_ sealer: TokenSealer) throws -> StoredProviderCredential {
            var json = JSONWriter()
            json.beginObject()
            json.member("team_id", "TEAM123456")
            json.member("key_id", "KEY1234567")
            json.member("private_key", try ECDSAP256.PrivateKey.generate().pem)
            json.member("topics", raw: Array(#"["\#(PreparedPushes.topic)"]"#.utf8))
            json.endObject()
            let row = SecretRows.credential(PreparedPushes.tenant, provider: "apns")
            return StoredProviderCredential(
                tenant: PreparedPushes.tenant, provider: "apns", summary: [],
                sealed: sealer.seal(json.bytes, for: row), createdAt: WallTime(milliseconds: WallClock.now()))
        }

        private func push(_ requests: ArraySlice<PushRequest>, through feed: SenderFeed) async throws {
            let (accepted, failures) = await feed.push(requests)
            guard accepted == requests.count else {
                throw LoadtestFailure("\(accepted) of \(requests.count) pushes were accepted: \(failures)")
            }
        }

        private func measure(_ prepared: PreparedPushes, _ feed: SenderFeed) async throws -> H2Load.Result {
            let (cpu, begun) = (ProcessStatistics.ownCPUSeconds, MonotonicClock.now())
            try await push(prepared.requests[...], through: feed)
            let seconds = Double(MonotonicClock.now() - begun) / 1e9
            return H2Load.Result(
                cpuMicroseconds: (ProcessStatistics.ownCPUSeconds - cpu) * 1e6 / Double(pushes),
                perSecond: Double(pushes) / seconds)
        }

        /// The provider must have got what both say they sent.
        private func confirm(_ providers: ProviderProcess) async throws {
            let expected = min(Self.warmUp, pushes) + 2 * rounds * pushes
            let received = try await providers.received()
            guard received == expected else {
                throw LoadtestFailure("the provider received \(received) pushes of \(expected)")
            }
        }

        private func report(_ ours: [H2Load.Result], _ theirs: [H2Load.Result], bodyBytes: Int) -> Report {
            var report = Report(
                "p1: \(pushes) pushes of \(bodyBytes) bytes, one connection, \(streams) streams")
            report.add("load_average", "load average at the end", ProcessStatistics.loadAverage)
            let own = Self.median(ours.map(\.cpuMicroseconds))
            let reference = Self.median(theirs.map(\.cpuMicroseconds))
            report.add("cpu_us", "CPU per push", own, "µs")
            report.add("pushes_per_s", "pushes", Self.median(ours.map(\.perSecond)), "/s")
            report.add("h2load_cpu_us", "h2load: CPU per push", reference, "µs")
            report.add("h2load_pushes_per_s", "h2load: pushes", Self.median(theirs.map(\.perSecond)), "/s")
            report.add("ratio", "CPU against h2load's", own / reference, "×")
            return report
        }

        private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    }
}
