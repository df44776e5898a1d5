package import Domain

/// The rarely changing rest of the database: tenants, keys, credentials, outcomes. Any task may call it.
package protocol DirectoryStore: Sendable {
    func loadDirectory() async throws(StoreFailure) -> StoredDirectory

    /// False: the name is taken.
    func createTenant(_ tenant: StoredTenant) async throws(StoreFailure) -> Bool
    func updateTenant(_ tenant: StoredTenant) async throws(StoreFailure)
    func deleteTenant(_ tenant: TenantKey) async throws(StoreFailure)

    func insertAPIKey(_ key: StoredAPIKey) async throws(StoreFailure)
    /// False: no such key.
    func deleteAPIKey(_ tenant: TenantKey, prefix: String) async throws(StoreFailure) -> Bool
    func replaceClientKeys(_ tenant: TenantKey, _ keys: [StoredClientKey]) async throws(StoreFailure)
    func putProviderCredential(_ credential: StoredProviderCredential) async throws(StoreFailure)
    func deleteProviderCredential(_ tenant: TenantKey, provider: String) async throws(StoreFailure) -> Bool

    /// The provider token minted last for this key (APNs), to respect the floor between two mints.
    func loadProviderToken(_ tenant: TenantKey, keyID: String) async throws(StoreFailure)
        -> StoredProviderToken?
    func saveProviderToken(_ token: StoredProviderToken) async throws(StoreFailure)

    /// The devices, of any user of the tenant, that hold a token with one of these lookups.
    func tokenHolders(_ tenant: TenantKey, lookups: [[UInt8]]) async throws(StoreFailure) -> [TokenHolder]

    /// The entry of a message in a user's mailbox and the outcomes recorded for it; nil: no such entry.
    func outcomes(of message: MessageName, user: UserID) async throws(StoreFailure) -> StoredExplanation?

    /// Remembers that a message was taken back, also one that has not come yet; whether it was known.
    func recall(_ message: MessageName, at time: WallTime) async throws(StoreFailure) -> Bool
    /// Remembers that the backend cancelled a call, unless one callee alone is meant, and answers with the
    /// users who have a leg of it (the callee, if he has one); nil: no such call, or not his.
    func cancelCall(_ call: CallName, reason: String, callee: UserID?) async throws(StoreFailure) -> [UserID]?

    /// Whether the database answers and its migrations are those of this program.
    func check() async throws(StoreFailure)
}

package struct StoredDirectory: Sendable {
    package var tenants: [StoredTenant] = []
    package var apiKeys: [StoredAPIKey] = []
    package var clientKeys: [StoredClientKey] = []
    package var providers: [StoredProviderCredential] = []

    package init() {}
}

package struct StoredTenant: Sendable {
    package let key: TenantKey
    package let name: TenantID
    /// The policy as set by the operator, a JSON object of only what differs from the defaults.
    package var policy: [UInt8]
    package var isPaused: Bool
    /// `live` or `shadow`.
    package var mode: String
    package let createdAt: WallTime

    package init(
        key: TenantKey, name: TenantID, policy: [UInt8], isPaused: Bool = false, mode: String = "live",
        createdAt: WallTime
    ) {
        self.key = key
        self.name = name
        self.policy = policy
        self.isPaused = isPaused
        self.mode = mode
        self.createdAt = createdAt
    }
}

package struct StoredAPIKey: Sendable {
    package let tenant: TenantKey
    /// `rk_` and six characters: what may be shown of it.
    package let prefix: String
    /// Keyed hash of the whole key.
    package let hash: [UInt8]
    package let name: String
    package let createdAt: WallTime

    package init(tenant: TenantKey, prefix: String, hash: [UInt8], name: String, createdAt: WallTime) {
        self.tenant = tenant
        self.prefix = prefix
        self.hash = hash
        self.name = name
        self.createdAt = createdAt
    }
}

package struct StoredClientKey: Sendable {
    package let tenant: TenantKey
    package let kid: String
    /// `HS256` or `ES256`.
    package let algorithm: String
    /// Sealed: the secret, or the public key as PEM.
    package let sealed: [UInt8]

    package init(tenant: TenantKey, kid: String, algorithm: String, sealed: [UInt8]) {
        self.tenant = tenant
        self.kid = kid
        self.algorithm = algorithm
        self.sealed = sealed
    }
}

package struct StoredProviderCredential: Sendable {
    package let tenant: TenantKey
    /// `apns`, `fcm` or `webpush`.
    package let provider: String
    /// What may be shown: ids and dates, a JSON object.
    package let summary: [UInt8]
    /// Sealed: the credential as it came, JSON.
    package let sealed: [UInt8]
    package let createdAt: WallTime

    package init(
        tenant: TenantKey, provider: String, summary: [UInt8], sealed: [UInt8], createdAt: WallTime
    ) {
        self.tenant = tenant
        self.provider = provider
        self.summary = summary
        self.sealed = sealed
        self.createdAt = createdAt
    }
}

package struct StoredProviderToken: Sendable {
    package let tenant: TenantKey
    package let keyID: String
    package let issuedAt: WallTime
    package let sealed: [UInt8]

    package init(tenant: TenantKey, keyID: String, issuedAt: WallTime, sealed: [UInt8]) {
        self.tenant = tenant
        self.keyID = keyID
        self.issuedAt = issuedAt
        self.sealed = sealed
    }
}

package struct TokenHolder: Hashable, Sendable {
    package let user: UserID
    package let device: DeviceID
    package let lookup: [UInt8]

    package init(user: UserID, device: DeviceID, lookup: [UInt8]) {
        self.user = user
        self.device = device
        self.lookup = lookup
    }
}

package struct StoredExplanation: Sendable {
    package let seq: MailboxSeq
    package let materialisedAt: WallTime
    package let mention: Mention
    package let sender: UserID
    package let wantsPush: Bool
    package let outcomes: [StoredOutcome]

    package init(
        seq: MailboxSeq, materialisedAt: WallTime, mention: Mention, sender: UserID, wantsPush: Bool,
        outcomes: [StoredOutcome]
    ) {
        self.seq = seq
        self.materialisedAt = materialisedAt
        self.mention = mention
        self.sender = sender
        self.wantsPush = wantsPush
        self.outcomes = outcomes
    }
}

package struct StoredOutcome: Sendable {
    package let device: DeviceID
    package let seq: MailboxSeq
    package let outcome: Outcome
    package let reason: OutcomeReason
    package let endedAt: WallTime
    /// `TraceEncoding`.
    package let trace: [UInt8]

    package init(
        device: DeviceID, seq: MailboxSeq, outcome: Outcome, reason: OutcomeReason, endedAt: WallTime,
        trace: [UInt8]
    ) {
        self.device = device
        self.seq = seq
        self.outcome = outcome
        self.reason = reason
        self.endedAt = endedAt
        self.trace = trace
    }
}

/// The single-owner lease.
package protocol LeaseStore: Sendable {
    /// Takes the lease if it is free, ours, or if `takeOver` is true (the caller has seen an
    /// unchanged epoch and renewal for the whole lease time on its own clock). Answers with the new
    /// epoch, or with the present holder's epoch and renewal count, for the caller to watch.
    func acquire(owner: String, takeOver: Bool) async throws(StoreFailure) -> LeaseAnswer
    /// Prolongs it; false: lost.
    func renew(owner: String, epoch: Int64) async throws(StoreFailure) -> Bool
    func release(owner: String, epoch: Int64) async throws(StoreFailure)
}

package enum LeaseAnswer: Equatable, Sendable {
    case owned(epoch: Int64)
    case held(epoch: Int64, renewals: Int64)
}

/// Seals small secrets at rest (client keys, provider credentials); associated data names the row.
package protocol SecretSealing: Sendable {
    func seal(_ secret: [UInt8], for row: String) -> [UInt8]
    func open(_ sealed: [UInt8], for row: String) -> [UInt8]?
    /// Keyed hash of an API key.
    func hashAPIKey(_ key: [UInt8]) -> [UInt8]
    /// 24-byte keyed hash for collapse ids.
    func collapseHash(tenant: TenantID, user: UserID, conversation: ConversationID) -> [UInt8]
}
