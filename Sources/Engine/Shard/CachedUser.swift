import Domain

/// A user in the memory of its shard: the state, and what the store side needs beside it.
final class CachedUser {
    let name: UserName
    let key: UserKey
    let tenantName: TenantID
    var user: User
    /// What the sender opens; the state knows digests only.
    var tokens: SealedTokens
    /// Whether a token was shared when last asked: it is asked again before each decision about the user,
    /// because the other account's end is told to nobody.
    var mayShareTokens: Bool
    /// Whether its record has a row, once the batch under way is committed.
    var hasRecordRow = false
    /// Whether the batch under way, or the next, writes its record.
    var awaitsRecord = false
    /// The earliest instant for which the shard's timers know this user.
    var wakesAt: Instant?
    var lastUsed: Instant
    /// Whether the shard has dropped it: who still points to it asks for the user by name.
    var hasLeft = false

    init(
        name: UserName, tenantName: TenantID, user: User, tokens: SealedTokens,
        lastUsed: Instant
    ) {
        self.name = name
        key = user.key
        self.tenantName = tenantName
        mayShareTokens = user.devices.contains { !$0.sharedTokens.isEmpty }
        self.user = user
        self.tokens = tokens
        self.lastUsed = lastUsed
    }
}

/// The tokens of one user, by their keys: a few, in a row.
struct SealedTokens {
    private var row: [SealedToken] = []

    subscript(key: TokenKey) -> SealedToken? {
        get { row.first { $0.digest.key.raw == key.raw } }
        set {
            let place = row.firstIndex { $0.digest.key.raw == key.raw }
            switch (place, newValue) {
            case (let place?, let token?): row[place] = token
            case (let place?, nil): row.remove(at: place)
            case (nil, let token?): row.append(token)
            case (nil, nil): break
            }
        }
    }
}

extension CachedUser {
    /// The state as of the store: the checkpoint, and the fold of what came after it.
    convenience init(_ stored: StoredUser, tenant: Tenant, zones: TimeZones, at now: Moment) {
        let counts = tenant.policy.badgeCountsMuted
        var conversations = Conversations(badgeCountsMuted: counts)
        if !stored.checkpoint.isEmpty,
            let decoded = Conversations(
                decoding: stored.checkpoint, through: stored.checkpointSeq, badgeCountsMuted: counts)
        {
            conversations = decoded
        }
        for fact in stored.tail { conversations.fold(fact) }
        let devices = stored.devices.map { Device($0, zones: zones) }
        var user = User(
            key: stored.key, id: stored.name.user, mailboxID: stored.mailboxID,
            head: max(stored.checkpointSeq, stored.tail.last?.seq ?? 0), firstSeq: stored.firstSeq,
            conversations: conversations, devices: devices, policy: tenant.sharedPolicy,
            settings: stored.settings, zone: stored.settings.timeZone.flatMap { zones[$0] },
            tenantZone: zones[tenant.policy.timeZone] ?? .utc)
        if let stored = stored.record,
            let record = PushRecord(decoding: stored.record, messages: stored.messages)
        {
            user.adopt(record, isOwed: stored.isOwed, at: now)
        }
        let voIPCounts = stored.devices.compactMap { device in device.voIPCount.map { (device.key, $0) } }
        user.recoveredCounts(Dictionary(voIPCounts) { first, _ in first })
        var tokens = SealedTokens()
        for device in stored.devices { for token in device.tokens { tokens[token.digest.key] = token } }
        self.init(
            name: stored.name, tenantName: tenant.name, user: user, tokens: tokens, lastUsed: now.instant)
        hasRecordRow = stored.record != nil
    }
}

extension Device {
    /// As the rows have it, its tokens as the digest log has them.
    init(_ stored: StoredDevice, zones: TimeZones) {
        self.init(
            key: stored.key, id: stored.device, profile: stored.profile, tokens: stored.digest,
            appliedSeq: stored.appliedSeq, knownSinceSeq: stored.knownSinceSeq,
            zone: stored.profile.timeZone.flatMap { zones[$0] }, sharedTokens: stored.sharedTokens)
    }
}
