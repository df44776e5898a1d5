import Domain
import Engine
import Telemetry
import Wire

/// `/admin/status` and `/metrics`: depths, rates and channels, for people and for Prometheus.
struct StatusResource: Sendable {
    private let dependencies: AdminAPI.Dependencies
    private let gatekeeper: Gatekeeper

    init(_ dependencies: AdminAPI.Dependencies, _ gatekeeper: Gatekeeper) {
        self.dependencies = dependencies
        self.gatekeeper = gatekeeper
    }

    var routes: [Route] {
        [
            Route(
                .get, "/admin/status", "Depths by state, the oldest due, channels, shards, the lease.",
                [Route.Outcome(200, "Status")],
                .administrator { call, answer throws(Problem) in
                    dependencies.engine.status { shards in
                        answer.json { write(shards, at: call.now, to: &$0) }
                    }
                }),
            Route(
                .get, "/metrics", "Prometheus' text format; no credential on loopback.",
                [Route.Outcome(200, "Metrics")],
                .anyone { call, answer throws(Problem) in
                    if !answer.isLocal { try gatekeeper.administrator(call, peer: answer.peer) }
                    dependencies.engine.status { shards in
                        answer.bytes(metrics(shards, at: call.now), contentType: PrometheusText.contentType)
                    }
                }),
        ]
    }

    // MARK: - For people

    private func write(_ shards: [ShardStatus], at now: Moment, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("tasks")
        writer.beginObject()
        for state in TaskDepth.all { writer.member(state.word, shards.reduce(0) { $0 + state.of($1) }) }
        writer.endObject()
        writer.member("oldest_due_ms", shards.map(\.oldestDueMilliseconds).max() ?? 0)
        writer.member("connections", shards.reduce(0) { $0 + $1.connections })
        writer.key("presence")
        writer.beginObject()
        writer.member("node", dependencies.engine.node)
        writer.member("connections", shards.reduce(0) { $0 + $1.connections })
        writer.member("catching_up", shards.reduce(0) { $0 + $1.catchingUp })
        writer.member("pushed_not_applied", shards.reduce(0) { $0 + $1.pushedNotApplied })
        writer.endObject()
        writer.member("inbox_depth", shards.reduce(0) { $0 + $1.inboxDepth })
        writer.member("read_back_remaining", shards.reduce(0) { $0 + $1.readBackRemaining })
        writer.key("lease")
        writer.beginObject()
        let leaseGuard = dependencies.engine.leaseGuard
        writer.member("held", leaseGuard.holds(at: now.instant))
        writer.member("node", dependencies.engine.node)
        writer.member("epoch", shards.map(\.epoch).max() ?? 0)
        writer.member("remaining_ms", leaseGuard.remainingMilliseconds(at: now.instant))
        writer.endObject()
        writer.key("disabled_rules")
        writer.beginArray()
        for name in dependencies.tenants.defaults.disabledRules.names { writer.string(name) }
        writer.endArray()
        writer.key("audit")
        AuditSummary(status: dependencies.engine.audit.status, now: now.instant).write(to: &writer)
        let lag = dependencies.engine.digestLag.lag
        writer.key("device_token_digest")
        writer.beginObject()
        writer.member("lag_ms", lag.milliseconds(at: now.wall))
        writer.member("revisions_behind", lag.revisionsBehind)
        writer.endObject()
        writer.key("channels")
        writer.beginArray()
        for channel in ChannelSummary.all(of: shards) {
            writer.channel(channel, tenant: dependencies.engine.tenants[channel.id.tenant]?.name.text ?? "")
        }
        writer.endArray()
        writer.key("shards")
        writer.beginArray()
        for shard in shards { write(shard, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private func write(_ shard: ShardStatus, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("shard", shard.shard)
        writer.member("open", shard.isOpen)
        writer.member("users_cached", shard.usersCached)
        writer.member("connections", shard.connections)
        writer.member("inbox_depth", shard.inboxDepth)
        for state in TaskDepth.all { writer.member(state.word, state.of(shard)) }
        writer.member("oldest_due_ms", shard.oldestDueMilliseconds)
        writer.member("commits", Int64(clamping: shard.counters.commits))
        writer.member("commit_failures", Int64(clamping: shard.counters.commitFailures))
        writer.endObject()
    }

    // MARK: - For Prometheus

    private func metrics(_ shards: [ShardStatus], at now: Moment) -> [UInt8] {
        var text = PrometheusText()
        dependencies.metrics.write(to: &text)
        func sum(_ name: MetricName, _ value: (ShardStatus) -> UInt64) {
            text.sample(name, [], Double(shards.reduce(0) { $0 + value($1) }))
        }
        sum(.shardsOpen) { $0.isOpen ? 1 : 0 }
        sum(.messages) { $0.counters.messages }
        sum(.duplicateMessages) { $0.counters.duplicates }
        sum(.entries) { $0.counters.entries }
        sum(.tasksMade) { $0.counters.tasks }
        sum(.pushesBuilt) { $0.counters.pushesBuilt }
        sum(.entriesApplied) { $0.counters.applied }
        sum(.commits) { $0.counters.commits }
        sum(.commitFailures) { $0.counters.commitFailures }
        sum(.inboxDepth) { UInt64($0.inboxDepth) }
        sum(.usersCached) { UInt64($0.usersCached) }
        sum(.readBackRemaining) { UInt64($0.readBackRemaining) }
        for state in TaskDepth.all {
            text.sample(
                .tasks, [MetricLabel("state", "\(state.word)")],
                Double(shards.reduce(0) { $0 + state.of($1) }))
        }
        let oldest = shards.map(\.oldestDueMilliseconds).max() ?? 0
        text.sample(.oldestDue, [], Double(oldest) / 1_000)
        AuditSummary(status: dependencies.engine.audit.status, now: now.instant).write(to: &text)
        let lag = dependencies.engine.digestLag.lag
        text.sample(.digestLag, [], Double(lag.milliseconds(at: now.wall)) / 1_000)
        text.sample(.digestsBehind, [], Double(lag.revisionsBehind))
        sum(.callLegs) { $0.counters.calls.legs }
        sum(.callPushes) { $0.counters.calls.pushes }
        sum(.callsRinging) { UInt64($0.callsRinging) }
        outcomes(.outcomes, shards.map(\.counters.outcomes), to: &text)
        outcomes(.callOutcomes, shards.map(\.counters.calls.outcomes), to: &text)
        silentPushes(shards, to: &text)
        channels(shards, to: &text)
        return text.bytes
    }

    private func outcomes(
        _ name: MetricName, _ shards: [[ShardCounters.OutcomeKey: UInt64]], to text: inout PrometheusText
    ) {
        var totals: [ShardCounters.OutcomeKey: UInt64] = [:]
        for (key, count) in shards.lazy.flatMap(\.self) { totals[key, default: 0] += count }
        let sorted = totals.sorted {
            ($0.key.outcome.rawValue, $0.key.reason.rawValue)
                < ($1.key.outcome.rawValue, $1.key.reason.rawValue)
        }
        for (key, count) in sorted {
            text.sample(
                name,
                [MetricLabel("outcome", key.outcome.word), MetricLabel("reason", key.reason.word)],
                Double(count))
        }
    }

    private func silentPushes(_ shards: [ShardStatus], to text: inout PrometheusText) {
        for kind in [PushKind.cover, .badge] {
            for isSent in [true, false] {
                let key = ShardCounters.SilentKey(kind: kind, isSent: isSent)
                let count = shards.reduce(0) { $0 + ($1.counters.silentPushes[key] ?? 0) }
                let result = MetricLabel("result", isSent ? "sent" : "failed")
                text.sample(.silentPushes, [MetricLabel("kind", kind.word), result], Double(count))
            }
        }
    }

    private func channels(_ shards: [ShardStatus], to text: inout PrometheusText) {
        let channels = ChannelSummary.all(of: shards)
        let parts: [(MetricName, (ChannelSummary) -> Int)] = [
            (.channelQueue, { $0.queued }), (.channelInFlight, { $0.inFlight }),
            (.channelWindow, { $0.window }),
        ]
        for (name, value) in parts {
            for channel in channels {
                let tenant = dependencies.engine.tenants[channel.id.tenant]?.name.text ?? ""
                text.sample(
                    name,
                    [
                        MetricLabel("tenant", tenant), MetricLabel("transport", channel.id.transport.word),
                        MetricLabel("environment", channel.environment),
                    ], Double(value(channel)))
            }
        }
    }
}

/// The states of open tasks that are told apart.
private struct TaskDepth: Sendable {
    let word: StaticString
    let of: @Sendable (ShardStatus) -> Int

    static let all = [
        TaskDepth(word: "held", of: { $0.held }), TaskDepth(word: "merging", of: { $0.merging }),
        TaskDepth(word: "ready", of: { $0.ready }), TaskDepth(word: "in_flight", of: { $0.inFlight }),
        TaskDepth(word: "retrying", of: { $0.retrying }), TaskDepth(word: "ending", of: { $0.ending }),
    ]
}
