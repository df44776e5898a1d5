import EventLoop

/// N-7: limits do not queue.
enum N7Case {
    static let command = LoadtestCommand(
        name: "n7", summary: "N-7: far above a limit: what is over it is dropped and counted, nothing queues",
        options: [
            Option("messages", "N", "Messages in a wave, into a limit of 10 a minute (1000)"),
            Option("bursts", "N", "Waves more, all of which must be dropped (8)"),
        ] + CaseOptions.shared,
        details: """
            Holds if exactly 10 are sent and all else is dropped/rate_limited, by the providers' lists, the
            counter and the explanations; to two devices the same; to a conversation as many as its own limit; a
            merged group as one; of what is due together the most important first; a mention in the place of
            what waits. Open tasks and memory stay flat over the bursts. After a kill -9 the limit is still used
            up, and 60 s after the first wave as many are admitted again. About 80 s.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private static let window: UInt64 = 60_500
        private static let burstNanoseconds: UInt64 = 45_000_000_000

        private let messages: Int
        private let bursts: Int
        private let options: CaseOptions
        private let loop = EventLoop(label: "n7")

        init(_ options: Options) throws(UsageFailure) {
            messages = try options.number("messages", in: 20...100_000, default: 1_000)
            bursts = try options.number("bursts", in: 4...1_000, default: 8)
            self.options = try CaseOptions(options, rule: "limits-drop")
        }

        private let single = LoadDevice(user: 0)
        private var pair: [LoadDevice] {
            [
                LoadDevice(user: 1),
                LoadDevice(
                    user: 1, name: LoadTenant.phone, transport: options.hasOwnServer ? .fcm : .apns),
            ]
        }

        func run() async throws {
            let target = try await options.open(
                keptPushes: 1_000_000, isStrict: true, limits: AuditWitness.limits, needsFCM: true,
                policy: ["push_rate_per_user_per_min": N7Stage.rate], on: loop)
            let talking = try await target.other(
                "talks", policy: ["push_rate_per_conversation_per_min": N7Stage.conversationRate])
            let merging = try await target.other(
                "merges",
                policy: [
                    "push_rate_per_user_per_min": N7Stage.rate, "push_merge_window_ms": N7Stage.mergeWindow,
                ])
            try await target.register([single] + pair + (2...5).map { LoadDevice(user: $0) })
            try await talking.register([LoadDevice(user: 10)])
            try await merging.register([LoadDevice(user: 20)])
            let before = try await target.metrics()
            var stage = N7Stage(target: target, talking: talking, merging: merging)
            var evidence = N7Checker.Evidence()
            let begun = try await waves(&stage)
            // Past the window a burst would be admitted again.
            for number in 1...bursts where MonotonicClock.now() - begun < Self.burstNanoseconds {
                evidence.loads.append(try await stage.burst(number, messages, to: single.user))
            }
            evidence.counts = try await counted(target, since: before)
            (evidence.expectedTasks, evidence.expectedNotified) = (
                stage.expectedTasks, stage.expectedNotified
            )
            try await restart(&stage, target)
            try await slide(&stage, begun)
            evidence.waves = stage.waves
            if let server = target.processes?.server {
                evidence.audit = try await AuditWitness.violations(of: server, loop)
            }
            try report(evidence)
        }

        /// An outcome is counted when it is committed, a moment after its task has ended.
        private func counted(_ target: CaseTarget, since before: PushCounts) async throws -> PushCounts {
            var counts = try await target.metrics().since(before)
            for _ in 0..<50 where counts.outcomes.values.reduce(0, +) < counts.tasksMade {
                try await Task.sleep(for: .milliseconds(100))
                counts = try await target.metrics().since(before)
            }
            return counts
        }

        /// - Returns: when the last push of the first two waves had been sent, by the boot clock.
        private func waves(_ stage: inout N7Stage) async throws -> UInt64 {
            let rate = N7Stage.rate
            try await stage.wave("one device", stage.messages(messages), to: [single], allowed: rate)
            try await stage.wave("two devices", stage.messages(messages / 4), to: pair, allowed: rate)
            let begun = MonotonicClock.now()
            let mixed =
                stage.messages(40, .smallGroup) + stage.messages(10) + stage.messages(6, .mention)
            try await stage.wave("due together", mixed, to: [LoadDevice(user: 2)], allowed: rate) {
                $0.isTogether = true
            }
            try await stage.releasedTogether(3)
            try await stage.overtaken(4)
            let (first, second) = ("talk-a", "talk-b")
            try await stage.wave(
                "by conversation", stage.messages(20, in: first) + stage.messages(2, in: second),
                to: [LoadDevice(user: 10)], allowed: N7Stage.conversationRate + 2, in: stage.talking
            ) { $0.allowedByConversation = [first: N7Stage.conversationRate, second: 2] }
            // Twenty messages of one conversation are one push and one unit; nine more make ten.
            try await stage.wave(
                "merged", stage.messages(20, in: "merge") + stage.messages(rate - 1),
                to: [LoadDevice(user: 20)], allowed: rate, notified: 20 + rate - 1, in: stage.merging
            ) { $0.isMerged = true }
            try await stage.wave(
                "after merged", stage.messages(15), to: [LoadDevice(user: 20)], allowed: 0,
                in: stage.merging)
            return begun
        }

        /// The windows survive the process.
        private func restart(_ stage: inout N7Stage, _ target: CaseTarget) async throws {
            guard let server = target.processes?.server else { return }
            let device = LoadDevice(user: 5)
            try await stage.wave(
                "before a kill", stage.messages(50), to: [device], allowed: N7Stage.rate)
            Progress.say("kill -9, and a new start")
            try await server.kill()
            try await server.start()
            try await stage.wave("after a kill", stage.messages(50), to: [device], allowed: 0)
        }

        private func slide(_ stage: inout N7Stage, _ begun: UInt64) async throws {
            let elapsed = (MonotonicClock.now() - begun) / 1_000_000
            let left = Self.window > elapsed ? Self.window - elapsed : 0
            Progress.say("waiting \(left / 1_000) s until the window has slid")
            try await Task.sleep(for: .milliseconds(left))
            let rate = N7Stage.rate
            try await stage.wave("a minute later", stage.messages(messages), to: [single], allowed: rate)
            try await stage.wave(
                "a minute later, two", stage.messages(messages / 4), to: pair, allowed: rate)
        }

        private func report(_ evidence: N7Checker.Evidence) throws {
            var report = Report(
                options.title("n7: \(messages) messages into a limit of \(N7Stage.rate) a minute"))
            var waves = RowTable(
                "waves",
                [
                    .init("wave", "wave"), .init("messages", "messages"), .init("devices", "devices"),
                    .init("allowed", "allowed"), .init("sent", "sent to each"),
                ])
            for wave in evidence.waves {
                waves.add([
                    .text(wave.name), .number(Int64(wave.messages.count)), .number(Int64(wave.pushes.count)),
                    .number(Int64(wave.allowed)),
                    .text(wave.pushes.map { "\($0.count)" }.joined(separator: ", ")),
                ])
            }
            var loads = RowTable(
                "bursts",
                [
                    .init("burst", "burst"), .init("depth_most", "open tasks, most"),
                    .init("depth_after", "after it"), .init("resident", "RSS, kB"),
                ])
            for load in evidence.loads {
                loads.add([
                    .number(Int64(load.burst)), .number(Int64(load.depthMost)),
                    .number(Int64(load.depthAfter)), .number(Int64(load.resident / 1_024)),
                ])
            }
            report.tables = [waves, loads]
            let counts = evidence.counts
            report.add("tasks", "tasks made before the restart", counts.tasksMade)
            report.add("notified", "of them notified", counts.outcome("notified"))
            report.add(
                "dropped", "of them dropped over the limit",
                counts.outcomes[["dropped", "rate_limited"]] ?? 0)
            report.violations += N7Checker.findings(evidence).sentences
            try options.publish(report)
        }
    }
}
