/// Every metric there is: what dashboards and alerts may build on.
package enum MetricName: String, CaseIterable, Sendable {
    // The HTTP listeners.
    case httpRequests = "rouse_http_requests_total"
    case httpRequestDuration = "rouse_http_request_duration_seconds"
    case authenticationFailures = "rouse_authentication_failures_total"

    // The shards.
    case shardsOpen = "rouse_shards_open"
    case messages = "rouse_messages_total"
    case duplicateMessages = "rouse_duplicate_messages_total"
    case entries = "rouse_mailbox_entries_total"
    case tasksMade = "rouse_push_tasks_total"
    case pushesBuilt = "rouse_pushes_built_total"
    case entriesApplied = "rouse_entries_applied_total"
    case outcomes = "rouse_push_outcomes_total"
    case silentPushes = "rouse_silent_pushes_total"
    case tasks = "rouse_push_tasks"
    case oldestDue = "rouse_push_oldest_due_seconds"
    case inboxDepth = "rouse_shard_inbox_depth"
    case usersCached = "rouse_users_cached"
    case readBackRemaining = "rouse_read_back_users_remaining"
    case commits = "rouse_commits_total"
    case commitFailures = "rouse_commit_failures_total"

    // Calls.
    case callLegs = "rouse_call_legs_total"
    case callPushes = "rouse_call_pushes_total"
    case callOutcomes = "rouse_call_outcomes_total"
    case callsRinging = "rouse_calls_ringing"

    // The audit of PD-1.
    case pd1Violations = "rouse_pd1_violations"
    case auditRounds = "rouse_pd1_audit_rounds_total"
    case auditedEntries = "rouse_pd1_audited_entries_total"
    case auditedTasks = "rouse_pd1_audited_tasks_total"
    case auditRoundDuration = "rouse_pd1_audit_round_duration_seconds"
    case auditAge = "rouse_pd1_audit_age_seconds"

    // The digest log.
    case digestLag = "rouse_device_token_digest_lag_seconds"
    case digestsBehind = "rouse_device_token_digest_revisions_behind"

    // The channels to the providers.
    case channelQueue = "rouse_channel_queued"
    case channelInFlight = "rouse_channel_in_flight"
    case channelWindow = "rouse_channel_window"

    // The gateway.
    case connections = "rouse_gateway_connections"
    case connectionsClosed = "rouse_gateway_connections_closed_total"
    case framesReceived = "rouse_gateway_frames_received_total"
    case entriesWritten = "rouse_gateway_entries_written_total"

    package enum Kind: String, Sendable { case counter, gauge, histogram }

    package var kind: Kind {
        switch self {
        case .httpRequestDuration: .histogram
        case .shardsOpen, .tasks, .oldestDue, .inboxDepth, .usersCached, .readBackRemaining, .channelQueue,
            .channelInFlight, .channelWindow, .connections, .pd1Violations, .auditRoundDuration, .auditAge,
            .digestLag, .digestsBehind, .callsRinging:
            .gauge
        default: .counter
        }
    }

    /// One sentence for the `HELP` line.
    package var help: StaticString {
        switch self {
        case .httpRequests: "HTTP requests answered, by listener, route and status."
        case .httpRequestDuration: "Time from a parsed request to its answer, by listener."
        case .authenticationFailures: "Requests and connections with no or a bad credential, by listener."
        case .shardsOpen: "Shards that this process owns and has opened."
        case .messages: "Messages materialised for the first time."
        case .duplicateMessages: "Ingests of which nothing was new."
        case .entries: "Mailbox entries committed."
        case .tasksMade: "Push tasks made, holds included."
        case .pushesBuilt: "Push requests built and handed to a sender."
        case .entriesApplied: "Push tasks ended by the device's own acknowledgement."
        case .outcomes: "Push tasks ended, by outcome and reason."
        case .silentPushes: "Covers and badge-only pushes, which have no task, by result."
        case .tasks: "Open push tasks in memory, by state."
        case .oldestDue: "Age of the push task that has been due longest."
        case .inboxDepth: "Events waiting for their shard."
        case .usersCached: "Users whose state is in memory."
        case .readBackRemaining: "Users with open tasks not yet read back after a start."
        case .commits: "Transactions committed by shards."
        case .commitFailures: "Transactions of shards that failed or have an unknown outcome."
        case .callLegs: "Calls begun, as their callees have them: one for each callee."
        case .callPushes: "Pushes of calls built and handed to a sender."
        case .callOutcomes: "Devices that a call had to ring, by how that ended and why."
        case .callsRinging: "Calls that ring, as their callees have them."
        case .pd1Violations: "Devices that nothing will wake for an entry; must stay 0. Of the last round."
        case .auditRounds: "Full rounds of the audit of PD-1 since start."
        case .auditedEntries: "Mailbox entries that the audit of PD-1 has looked at."
        case .auditedTasks: "Open push tasks that the audit of PD-1 has asked the shards about."
        case .auditRoundDuration: "How long the last full round of the audit of PD-1 took."
        case .auditAge: "Time since the last full round of the audit of PD-1 ended."
        case .digestLag: "Age of the oldest change of the digest log that its shard has not followed."
        case .digestsBehind: "Revisions of the digest log that the shards have not followed."
        case .channelQueue: "Devices waiting for their turn, by channel."
        case .channelInFlight: "Push requests with the provider, by channel."
        case .channelWindow: "Requests a shard may have with the provider at a time, by channel; 0: halted."
        case .connections: "Gateway connections that are authenticated."
        case .connectionsClosed: "Gateway connections ended, by close code."
        case .framesReceived: "Frames received from devices, by type."
        case .entriesWritten: "Entries written to connected devices."
        }
    }
}

/// A label of a sample; the name is a word of ours, the value is escaped where it is written.
package struct MetricLabel: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
