package import Domain

/// The keys of a policy, under the interface's names: one table for tenants, the configuration and the
/// documents.
package enum PolicyTable {
    /// A value as a reader of any notation has it.
    package enum Value: Equatable, Sendable {
        case integer(Int64)
        case flag(Bool)
        case text(String)
        /// Anything a policy has no use for.
        case other
    }

    package enum Fault: Error, Equatable, Sendable {
        case unknownKey
        /// Set for the whole server only.
        case notOfTenants
        case wrongType(expected: String)
        case outOfRange(String)
    }

    enum Kind: Sendable {
        case integer(ClosedRange<Int64>)
        case flag
        case word([String])
        case zone
    }

    struct Key: Sendable {
        let name: String
        let kind: Kind
        var isOfServer = false
        let read: @Sendable (Policy) -> Value
        let write: @Sendable (inout Policy, Value) -> Void
    }

    /// Every key, in the order of the documentation.
    package static var names: [String] { keys.map(\.name) }

    /// The present value of a key.
    package static func value(_ name: String, in policy: Policy) -> Value? {
        keys.first { $0.name == name }?.read(policy)
    }

    /// Sets a key; `ofTenant` refuses what only the whole server has.
    package static func set(
        _ name: String, to value: Value, in policy: inout Policy, ofTenant: Bool
    ) throws(Fault) {
        guard let key = keys.first(where: { $0.name == name }) else { throw .unknownKey }
        guard !ofTenant || !key.isOfServer else { throw .notOfTenants }
        try check(value, key.kind)
        key.write(&policy, value)
    }

    private static func check(_ value: Value, _ kind: Kind) throws(Fault) {
        switch (kind, value) {
        case (.integer(let range), .integer(let number)):
            guard range.contains(number) else {
                throw .outOfRange("must be from \(range.lowerBound) to \(range.upperBound)")
            }
        case (.integer, _): throw .wrongType(expected: "a whole number")
        case (.flag, .flag): return
        case (.flag, _): throw .wrongType(expected: "true or false")
        case (.word(let words), .text(let text)):
            guard words.contains(text) else {
                throw .outOfRange("must be one of \(words.joined(separator: ", "))")
            }
        case (.zone, .text(let text)):
            guard ZoneRules.isName(text) else {
                throw .outOfRange("must be a zone of the IANA database")
            }
        case (.word, _), (.zone, _): throw .wrongType(expected: "a string")
        }
    }

    // MARK: - The table

    private static let hour: Int64 = 3_600_000
    private static let year: Int64 = 31_536_000

    static let keys: [Key] = [
        whole("push_grace_window_ms", 0...hour, { $0.pushGraceWindow }, { $0.pushGraceWindow = $1 }),
        whole(
            "tcp_user_timeout_ms", 1_000...hour, isOfServer: true, { $0.tcpUserTimeout },
            { $0.tcpUserTimeout = $1 }),
        whole("push_merge_window_ms", 0...hour, { $0.pushMergeWindow }, { $0.pushMergeWindow = $1 }),
        whole("push_dedup_ttl_s", 0...year, { $0.pushDedupTTLSeconds }, { $0.pushDedupTTLSeconds = $1 }),
        whole(
            "push_rate_per_user_per_min", 0...1_000_000, { Int64($0.pushRatePerUserPerMinute) },
            { $0.pushRatePerUserPerMinute = Int($1) }),
        whole(
            "push_rate_per_conversation_per_min", 0...1_000_000,
            { Int64($0.pushRatePerConversationPerMinute) },
            { $0.pushRatePerConversationPerMinute = Int($1) }),
        whole(
            "mention_reserve", 0...1_000_000, { Int64($0.mentionReserve) }, { $0.mentionReserve = Int($1) }),
        whole(
            "rtc_voip_push_daily_quota", 0...1_000_000, { Int64($0.rtcVoIPPushDailyQuota) },
            { $0.rtcVoIPPushDailyQuota = Int($1) }),
        whole(
            "wake_budget_per_hour", 0...1_000_000, { Int64($0.wakeBudgetPerHour) },
            { $0.wakeBudgetPerHour = Int($1) }),
        whole(
            "push_retry_max_attempts", 1...100, { Int64($0.pushRetryMaxAttempts) },
            { $0.pushRetryMaxAttempts = Int($1) }),
        whole(
            "session_delta_merge_window_ms", 0...60_000, { $0.sessionDeltaMergeWindow },
            { $0.sessionDeltaMergeWindow = $1 }),
        whole("badge_settle_window_ms", 0...hour, { $0.badgeSettleWindow }, { $0.badgeSettleWindow = $1 }),
        whole(
            "badge_repair_interval_ms", 1_000...24 * hour, { $0.badgeRepairInterval },
            { $0.badgeRepairInterval = $1 }),
        whole("call_grace_ms", 0...60_000, { $0.callGrace }, { $0.callGrace = $1 }),
        whole("push_ttl_s", 1...2_419_200, { $0.pushTTLSeconds }, { $0.pushTTLSeconds = $1 }),
        whole(
            "large_group_members", 2...10_000_000, { Int64($0.largeGroupMembers) },
            { $0.largeGroupMembers = Int($1) }),
        whole("nse_pull_max_items", 1...200, { Int64($0.nsePullMaxItems) }, { $0.nsePullMaxItems = Int($1) }),
        whole(
            "explain_retention_s", 60...year, { $0.explainRetentionSeconds },
            { $0.explainRetentionSeconds = $1 }),
        whole(
            "mailbox_retention_s", 3_600...100 * year, { $0.mailboxRetentionSeconds },
            { $0.mailboxRetentionSeconds = $1 }),
        Key(
            name: "badge_counts_muted", kind: .flag, read: { .flag($0.badgeCountsMuted) },
            write: { if case .flag(let flag) = $1 { $0.badgeCountsMuted = flag } }),
        Key(
            name: "fcm_form", kind: .word(["notification", "data"]), read: { .text($0.fcmForm.rawValue) },
            write: { policy, value in
                if case .text(let text) = value, let form = Policy.FCMForm(rawValue: text) {
                    policy.fcmForm = form
                }
            }),
        Key(
            name: "time_zone", kind: .zone, read: { .text($0.timeZone) },
            write: { if case .text(let text) = $1 { $0.timeZone = text } }),
        whole(
            "credential_max_age_s", 60...2_592_000, { $0.credentialMaxAgeSeconds },
            { $0.credentialMaxAgeSeconds = $1 }),
    ]

    private static func whole(
        _ name: String, _ range: ClosedRange<Int64>, isOfServer: Bool = false,
        _ read: @escaping @Sendable (Policy) -> Int64,
        _ write: @escaping @Sendable (inout Policy, Int64) -> Void
    ) -> Key {
        Key(
            name: name, kind: .integer(range), isOfServer: isOfServer, read: { .integer(read($0)) },
            write: { if case .integer(let number) = $1 { write(&$0, number) } })
    }
}
