import EventLoop

/// N-4: what is read on one device is not pushed to another, or is covered there.
enum N4Case {
    static let command = LoadtestCommand(
        name: "n4", summary: "N-4: a read elsewhere cancels what waits and covers what was pushed",
        options: [
            Option("users", "N", "Users in each scene, every second one of FCM (24)"),
            Option(
                "scenes", "LIST",
                "With commas: \(N4Scene.allCases.map(\.rawValue).joined(separator: ", ")) (all)"),
        ] + CaseOptions.shared,
        details: """
            The user reads on a phone, by the backend's call with or without naming it, by the phone's own call, or
            over its connection. held, merging, waiting (behind a slow request), halted: never pushed. accepted,
            applied: covered once, under the same collapse id, in the form of domain.md §3. partial: shown again,
            passive and silent. all: one cover for three conversations. others: expires at once. recalled: as a
            read. inFlight: settled at the outcome. online, reader: no cover. crash: kill -9 right after the 200.
            And the last badge that the provider got is what is unread.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private let users: Int
        private let scenes: [N4Scene]
        private let options: CaseOptions
        private let loop = EventLoop(label: "n4")

        init(_ options: Options) throws(UsageFailure) {
            users = try options.number("users", in: 2...1_000, default: 24)
            var scenes: [N4Scene] = []
            for word in (options["scenes"] ?? "").split(separator: ",").map(String.init) {
                guard let scene = N4Scene(rawValue: word) else {
                    throw UsageFailure("option --scenes names one that is unknown: \(word)")
                }
                scenes.append(scene)
            }
            self.scenes = scenes.isEmpty ? N4Scene.allCases : scenes
            self.options = try CaseOptions(options, rule: "reads-revoke")
        }

        func run() async throws {
            let target = try await options.open(
                keptPushes: 1_000_000, isStrict: true, needsFCM: true, on: loop)
            let merging = try await target.other(
                "merges", policy: ["push_merge_window_ms": N4Stage.mergeWindow])
            let halting = try await target.other("halts", policy: [:])
            let (phones, phoneOf) = try await connectPhones(target, merging, halting)
            let log = PushLog(target.providers)
            let following = Task { await log.follow() }
            defer { following.cancel() }
            let stage = N4Stage(
                target: target, merging: merging, halting: halting, phones: phones, phoneOf: phoneOf, log: log
            )
            let scenes = scenes.filter { $0 != .crash || target.processes != nil }
            Progress.say("\(scenes.count) scenes with \(users) users each, at once but for the crash")
            var seen = try await perform(scenes.filter { $0 != .crash && $0 != .inFlightRefused }, on: stage)
            // These stand alone: one halts a channel that another shares, the other kills the server.
            for scene in scenes where scene == .crash || scene == .inFlightRefused {
                seen += try await stage.perform(scene, users: range(of: scene))
            }
            await phones.stop()
            try report(seen, scenes)
        }

        private func range(of scene: N4Scene) -> Range<Int> {
            let index = N4Scene.allCases.firstIndex(of: scene) ?? 0
            return (index * users)..<((index + 1) * users)
        }

        private func perform(_ scenes: [N4Scene], on stage: N4Stage) async throws
            -> [N4Checker.Performance]
        {
            try await withThrowingTaskGroup(of: [N4Checker.Performance].self) { group in
                for scene in scenes {
                    let users = range(of: scene)
                    group.addTask { try await stage.perform(scene, users: users) }
                }
                var all: [N4Checker.Performance] = []
                for try await seen in group { all += seen }
                return all.sorted { ($0.device.user, $0.device.name) < ($1.device.user, $1.device.name) }
            }
        }

        /// Every fourth pair of users reads over a connection.
        private func connectPhones(_ target: CaseTarget, _ merging: CaseTarget, _ halting: CaseTarget)
            async throws -> (DeviceFleet, [Int: Int])
        {
            let fleet = DeviceFleet(to: [target.server.publicAddress], loops: 1)
            var (profiles, phoneOf): ([DeviceProfile], [Int: Int]) = ([], [:])
            for scene in scenes where scene != .crash {
                let of =
                    scene == .merging
                    ? merging : [.halted, .inFlightRefused].contains(scene) ? halting : target
                for user in range(of: scene) where user / 2 % 4 == 3 {
                    phoneOf[user] = profiles.count
                    profiles.append(try of.profile(user, LoadTenant.phone))
                }
            }
            await fleet.add(profiles)
            fleet.connect(withinMilliseconds: 300)
            let count = profiles.count
            guard await fleet.waits(withinMilliseconds: 20_000, until: { $0.online == count }) else {
                throw LoadtestFailure("not every phone is connected: \(await fleet.totals)")
            }
            return (fleet, phoneOf)
        }

        private func report(_ seen: [N4Checker.Performance], _ scenes: [N4Scene]) throws {
            var report = Report(options.title("n4: \(scenes.count) scenes, \(users) users each"))
            var table = RowTable(
                "scenes",
                [
                    .init("scene", "scene"), .init("devices", "devices"), .init("alerts", "alerts accepted"),
                    .init("covers", "covers"), .init("badges", "badge pushes"), .init("holds", "holds"),
                ])
            for scene in scenes {
                let mine = seen.filter { $0.scene == scene }
                func count(_ kind: String) -> RowTable.Cell {
                    .number(
                        Int64(
                            mine.reduce(0) { sum, performance in
                                sum + performance.pushes.count { $0.kind == kind && $0.isAccepted }
                            }))
                }
                let holds = N4Checker.findings(mine).isEmpty
                table.add([
                    .text(scene.rawValue), .number(Int64(mine.count)), count("alert"), count("cover"),
                    count("badge"), .text(holds ? "yes" : "NO"),
                ])
            }
            report.tables = [table]
            report.violations += N4Checker.findings(seen).sentences
            try options.publish(report)
        }
    }
}
