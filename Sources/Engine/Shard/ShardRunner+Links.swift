import Domain

/// Connections: what their devices tell, and what is written to them.
extension ShardRunner {
    func connected(_ link: Link, _ resume: User.Resume, at now: Moment, _ batch: inout ShardBatch) {
        guard let cached = user(link.user, at: now, &batch) else { return link.sink.close(.goingAway) }
        guard cached.user.accepts(credentialIssuedAt: link.credentialIssuedAt, of: link.device) else {
            return batch.effects.append(.reply { link.sink.close(.credentialRevoked) })
        }
        let actions = cached.user.connected(
            link.device, link.connection, resume: resume, at: now, keys: &keys)
        guard let presence = cached.user.device(link.device)?.presence else { return }
        links[link.connection] = LinkRecord(link, presence)
        linksOfUser[link.user, default: []].append(link.connection)
        record(actions, of: cached, at: now, &batch)
    }

    func pulled(
        _ name: UserName, _ connection: ConnectionID, _ entries: [MailboxEntry], _ loaded: LoadedBatch,
        at now: Moment, _ batch: inout ShardBatch
    ) {
        guard links[connection] != nil, let cached = users[name] else { return }
        let reachesHead = (entries.last?.seq).map { $0 >= cached.user.head } ?? true
        // A page that is not full but ends below the head was read before entries of this batch.
        let isLast = reachesHead && isCommitted(name, batch)
        batch.effects.append(.page(connection, entries, isLast: isLast))
        // What still rings is told behind the last page.
        guard isLast else { return }
        record(cached.user.caughtUp(connection), of: cached, at: now, &batch)
        tellMissedEnds(name, connection, loaded, at: now, &batch)
    }

    /// Whether this batch has appended nothing to the user's mailbox so far.
    private func isCommitted(_ name: UserName, _ batch: ShardBatch) -> Bool {
        guard let key = users[name]?.user.key else { return true }
        return !batch.changes.entries.contains { $0.user == key }
    }

    func pushed(
        _ name: UserName, _ connection: ConnectionID, _ seq: MailboxSeq, at now: Moment,
        _ batch: inout ShardBatch
    ) {
        let window = tenants[name.tenant]?.policy.pushConfirmExtendedWindow ?? 0
        links[connection]?.pushed(through: seq, at: now.instant, window: window)
        guard let cached = users[name] else { return }
        record(cached.user.pushed(connection, through: seq, at: now), of: cached, at: now, &batch)
    }

    func linkApplied(
        _ name: UserName, _ connection: ConnectionID, _ seq: MailboxSeq, at now: Moment,
        _ batch: inout ShardBatch
    ) {
        guard let link = links[connection], let cached = users[name] else { return }
        switch cached.user.applied(link.link.device, through: seq, at: now, keys: &keys) {
        case .success(let actions):
            links[connection]?.firstWrites.removeAll { $0.through <= seq }
            record(actions, of: cached, at: now, &batch)
        case .failure: refuseBeyondHead(connection, cached, seq, &batch)
        }
    }

    func linkRead(
        _ name: UserName, _ connection: ConnectionID, _ conversation: ConversationID, _ seq: MailboxSeq,
        at now: Moment, _ batch: inout ShardBatch
    ) {
        guard let link = links[connection], let cached = users[name] else { return }
        switch cached.user.read(conversation, through: seq, by: link.link.device, at: now) {
        case .success(let actions): record(actions, of: cached, at: now, &batch)
        case .failure: refuseBeyondHead(connection, cached, seq, &batch)
        }
    }

    func refuseBeyondHead(
        _ connection: ConnectionID, _ cached: CachedUser, _ seq: MailboxSeq?, _ batch: inout ShardBatch
    ) {
        let named = seq.map { "\($0) is" } ?? "the seq named is"
        batch.effects.append(
            .refuse(
                connection, code: "seq_beyond_head",
                detail: "\(named) above the mailbox's head, \(cached.user.head)"))
    }

    func closed(
        _ name: UserName, _ connection: ConnectionID, _ cause: CloseCause, silentFor: Int64, at now: Moment,
        _ batch: inout ShardBatch
    ) {
        links[connection] = nil
        forgetConnection(connection, of: name)
        guard let cached = users[name] else { return }
        let actions = cached.user.closed(connection, cause, silentFor: silentFor, at: now)
        record(actions, of: cached, at: now, &batch)
    }

    /// An array, not a set: a user has few connections, and many users have one.
    func forgetConnection(_ connection: ConnectionID, of name: UserName) {
        guard var connections = linksOfUser[name] else { return }
        connections.removeAll { $0 == connection }
        linksOfUser[name] = connections.isEmpty ? nil : connections
    }

    // MARK: - Devices

    func register(
        _ name: UserName, _ device: DeviceID, _ registration: Registration,
        _ reply: @escaping Reply<DeviceStatus>, at now: Moment, _ batch: inout ShardBatch
    ) {
        guard let cached = user(name, at: now, &batch) else {
            return batch.effects.append(.reply { reply(.failure(.failed("no such tenant"))) })
        }
        let sealed = registration.tokens.map { token in
            SealedToken(
                digest: TokenDigest(
                    key: keys.allot(), transport: token.transport, environment: token.environment,
                    registeredAt: now.wall),
                sealed: token.sealed, keyID: token.keyID, lookup: token.lookup, topic: token.topic)
        }
        for token in sealed { cached.tokens[token.digest.key] = token }
        let shared = sealed.filter { registration.sharedLookups.contains($0.lookup) }.map(\.digest.key)
        if !shared.isEmpty { cached.mayShareTokens = true }
        let profile = DeviceProfile(
            locale: registration.locale, timeZone: registration.timeZone, appVersion: registration.appVersion,
            registeredAt: now.wall, lastSeen: now.wall)
        let actions = cached.user.registered(
            device, profile, zone: registration.timeZone.flatMap { zones[$0] },
            tokens: sealed.map(\.digest), shared: Set(shared), at: now, keys: &keys)
        record(actions, of: cached, at: now, &batch)
        guard let registered = cached.user.device(device) else { return }
        for token in sealed {
            batch.changes.digestsChanged[registered.key] = now.wall
            batch.changes.tokensAdded.append(
                TokenRow(user: cached.user.key, tenant: name.tenant, device: registered.key, token: token))
        }
        let status = DeviceStatus(registered)
        batch.effects.append(.reply { reply(.success(status)) })
    }

    /// A user who is not in memory is loaded with what is shared then.
    func tokensShared(_ name: UserName, _ device: DeviceID, _ lookups: Set<[UInt8]>) {
        guard let cached = users[name], let held = cached.user.device(device)?.tokens else { return }
        let shared = held.map(\.key).filter { cached.tokens[$0].map { lookups.contains($0.lookup) } ?? false }
        cached.user.tokensShared(device, Set(shared))
        cached.mayShareTokens = cached.mayShareTokens || !shared.isEmpty
    }

    func loseTokens(
        _ name: UserName, _ device: DeviceID, _ lookups: Set<[UInt8]>, _ reply: @escaping Reply<Void>,
        at now: Moment, _ batch: inout ShardBatch
    ) {
        if let cached = user(name, at: now, &batch), let held = cached.user.device(device)?.tokens {
            let lost = held.map(\.key).filter {
                cached.tokens[$0].map { lookups.contains($0.lookup) } ?? false
            }
            record(cached.user.lostTokens(device, Set(lost), at: now), of: cached, at: now, &batch)
        }
        batch.effects.append(.reply { reply(.success(())) })
    }
}
