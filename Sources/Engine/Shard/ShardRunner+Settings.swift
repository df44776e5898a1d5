import Domain

/// What users and tenants set, with the zones that it names as values.
extension ShardRunner {
    func configure(
        _ name: UserName, _ change: UserSettings.Change, _ reply: @escaping Reply<UserSettings>,
        at now: Moment, _ batch: inout ShardBatch
    ) {
        guard let cached = user(name, at: now, &batch) else {
            return batch.effects.append(.reply { reply(.failure(.failed("no such tenant"))) })
        }
        let settings = cached.user.settings.changed(by: change)
        let zone = settings.timeZone.flatMap { zones[$0] }
        record(cached.user.configure(settings, zone: zone), of: cached, at: now, &batch)
        batch.effects.append(.reply { reply(.success(settings)) })
    }

    func configure(
        _ name: UserName, _ conversation: ConversationID, _ isMuted: Bool, _ until: WallTime?,
        _ reply: @escaping Reply<ConversationStatus>, at now: Moment, _ batch: inout ShardBatch
    ) {
        guard let cached = user(name, at: now, &batch) else {
            return batch.effects.append(.reply { reply(.failure(.failed("no such tenant"))) })
        }
        let actions = cached.user.configure(conversation, isMuted: isMuted, until: until, at: now)
        record(actions, of: cached, at: now, &batch)
        let status = ConversationStatus(
            id: conversation, conversation: cached.user.conversations[conversation])
        batch.effects.append(.reply { reply(.success(status)) })
    }

    func policyChanged(_ tenant: Tenant, at now: Moment, _ batch: inout ShardBatch) {
        let zone = zone(of: tenant)
        for cached in users.values where cached.name.tenant == tenant.key {
            let actions = cached.user.policyChanged(tenant.sharedPolicy, zone: zone, at: now)
            record(actions, of: cached, at: now, &batch)
        }
    }

    /// A zone that the database does not have, or no longer, is UTC.
    func zone(of tenant: Tenant) -> ZoneRules { zones[tenant.policy.timeZone] ?? .utc }
}
