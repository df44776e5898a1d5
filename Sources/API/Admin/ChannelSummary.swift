import Domain
import Engine
import Wire

/// A channel over all shards.
struct ChannelSummary {
    let id: ChannelID
    var queued = 0
    var inFlight = 0
    /// The least that any shard is granted; 0: halted.
    var window = Int.max
    var reason = ""

    /// The provider's name in paths.
    var provider: String {
        switch id.transport {
        case .apns, .apnsVoIP: "apns"
        case .fcm: "fcm"
        case .webPush: "webpush"
        }
    }

    var environment: String { id.environment == .sandbox ? "sandbox" : "production" }

    static func all(of shards: [ShardStatus]) -> [ChannelSummary] {
        var summaries: [ChannelID: ChannelSummary] = [:]
        for status in shards.lazy.flatMap(\.channels) {
            var summary = summaries[status.channel] ?? ChannelSummary(id: status.channel)
            summary.queued += status.queued
            summary.inFlight += status.inFlight
            summary.window = min(summary.window, status.window)
            if !status.reason.isEmpty { summary.reason = status.reason }
            summaries[status.channel] = summary
        }
        return summaries.values.sorted { left, right in
            (left.id.tenant.raw, left.id.transport.rawValue, left.id.environment.rawValue)
                < (right.id.tenant.raw, right.id.transport.rawValue, right.id.environment.rawValue)
        }
    }
}

extension JSONWriter {
    mutating func channel(_ channel: ChannelSummary, tenant: String? = nil) {
        beginObject()
        member("tenant", ifPresent: tenant)
        member("transport", channel.id.transport.word)
        member("environment", channel.environment)
        member("queued", channel.queued)
        member("in_flight", channel.inFlight)
        member("window_per_shard", channel.window)
        member("halted", channel.window == 0)
        member("reason", channel.reason)
        endObject()
    }
}
