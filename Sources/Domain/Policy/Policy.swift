/// A policy that many users share, so that each holds a word and not the whole of it.
package final class SharedPolicy: Sendable {
    package let values: Policy

    package init(_ values: Policy) { self.values = values }
}

/// A tenant's parameters; names and defaults of the configuration, durations in milliseconds unless named.
package struct Policy: Equatable, Sendable {
    package var pushGraceWindow: Int64 = 3_000
    package var tcpUserTimeout: Int64 = 15_000
    package var pushMergeWindow: Int64 = 5_000
    package var pushDedupTTLSeconds: Int64 = 600
    package var pushRatePerUserPerMinute = 10
    package var pushRatePerConversationPerMinute = 3
    package var mentionReserve = 0
    package var rtcVoIPPushDailyQuota = 200
    package var wakeBudgetPerHour = 3
    package var pushRetryMaxAttempts = 5
    package var sessionDeltaMergeWindow: Int64 = 200
    package var badgeSettleWindow: Int64 = 5_000
    package var badgeRepairInterval: Int64 = 30_000
    package var callGrace: Int64 = 1_000
    package var pushTTLSeconds: Int64 = 86_400
    package var largeGroupMembers = 100
    package var nsePullMaxItems = 20
    package var explainRetentionSeconds: Int64 = 259_200
    package var mailboxRetentionSeconds: Int64 = 2_592_000
    package var badgeCountsMuted = false
    package var fcmForm = FCMForm.notification
    package var timeZone = "UTC"
    /// The longest life of a device credential, from `iat` to `exp`.
    package var credentialMaxAgeSeconds: Int64 = 2_592_000
    /// Switched off for this process; empty but under a harness.
    package var disabledRules: Rules = []

    package init() {}

    /// `notification` draws on Android by itself; `data` leaves it to the app.
    package enum FCMForm: String, Sendable { case notification, data }

    /// `push_confirm_extended_window`: the time in which a dead socket must show, and the grace after it.
    package var pushConfirmExtendedWindow: Int64 { tcpUserTimeout + pushGraceWindow }
}
