/// Registration, sign-out and the death of tokens.
extension User {
    /// A device registered its tokens, which replace those it had: an old token is dead at once.
    ///
    /// - Parameter shared: those of them that other accounts of the installation keep.
    package mutating func registered(
        _ device: DeviceID, _ profile: DeviceProfile, zone: ZoneRules? = nil, tokens: [TokenDigest],
        shared: Set<TokenKey> = [],
        at now: Moment, keys: inout KeyAllocator
    ) -> [UserAction] {
        var actions: [UserAction] = []
        let index = findOrAdd(device, at: now, keys: &keys, &actions)
        for token in devices[index].tokens {
            actions.append(.removeToken(devices[index].key, token.key))
        }
        let loggedOutAt = devices[index].profile.loggedOutAt
        devices[index].tokens = tokens
        devices[index].sharedTokens = shared
        devices[index].profile = profile
        devices[index].profile.loggedOutAt = loggedOutAt
        devices[index].zone = zone
        actions.append(.saveDevice(devices[index].key))
        if !devices[index].isWakeable { dropAll(index, .notWakeable, at: now, &actions) }
        callTokensChanged(index, at: now, &actions)
        owe(at: now, &actions)
        return actions
    }

    /// Tokens that another installation, or another user, has registered: they are no longer this device's.
    package mutating func lostTokens(
        _ device: DeviceID, _ keys: Set<TokenKey>, at now: Moment
    ) -> [UserAction] {
        guard let index = index(device) else { return [] }
        var actions: [UserAction] = []
        for key in keys { remove(key, device: index, .tokenDead, at: now, &actions) }
        return actions
    }

    /// Another account of the installation has registered these tokens, which both keep.
    package mutating func tokensShared(_ device: DeviceID, _ keys: Set<TokenKey>) {
        guard let index = index(device) else { return }
        devices[index].sharedTokens.formUnion(keys)
    }

    /// Of the tokens that were shared only these still are.
    package mutating func sharingEnded(except shared: Set<TokenKey>) {
        for index in devices.indices { devices[index].sharedTokens.formIntersection(shared) }
    }

    /// Who signs a device out.
    package enum SignOut: Equatable, Sendable {
        /// The device itself, whose credential may serve it again.
        case byDevice
        /// The backend: the device may be in wrong hands, so its credentials issued up to now are refused.
        case remote
    }

    /// The device signed out, or was logged out remotely: tokens, tasks and presence go.
    package mutating func signedOut(
        _ device: DeviceID, _ kind: SignOut, at now: Moment, keys: inout KeyAllocator
    ) -> [UserAction] {
        var actions: [UserAction] = []
        guard
            let index = kind == .byDevice ? index(device) : findOrAdd(device, at: now, keys: &keys, &actions)
        else { return [] }
        if kind == .remote { devices[index].profile.loggedOutAt = now.wall }
        for token in devices[index].tokens {
            actions.append(.removeToken(devices[index].key, token.key))
        }
        devices[index].tokens = []
        if !devices[index].record.isEmpty { actions.append(.saveRecord) }
        devices[index].record = DeviceRecord()
        devices[index].profile.isSignedOut = true
        devices[index].profile.registeredAt = nil
        if let presence = devices[index].presence {
            actions.append(.close(presence.connection, .signedOut))
            devices[index].presence = nil
        }
        dropAll(index, .deviceRemoved, at: now, &actions)
        callTokensChanged(index, at: now, &actions)
        actions.append(.saveDevice(devices[index].key))
        return actions
    }

    /// The digest log has the device as it is here, with the tokens that whoever changed them last has
    /// left it; nil: it is gone. What is known already changes nothing.
    package mutating func digestFollowed(
        _ key: DeviceKey, _ followed: Device?, at now: Moment
    ) -> [UserAction] {
        guard let index = index(key) else { return followed.map { adopt($0) } ?? [] }
        guard let followed else { return leave(index, at: now) }
        guard Set(devices[index].tokens) != Set(followed.tokens) else { return [] }
        var actions: [UserAction] = []
        devices[index].tokens = followed.tokens
        if devices[index].profile.isSignedOut && !followed.tokens.isEmpty {
            devices[index].profile.isSignedOut = false
            devices[index].knownSinceSeq = head
            actions.append(.saveDevice(key))
        }
        if !devices[index].isWakeable { dropAll(index, .notWakeable, at: now, &actions) }
        callTokensChanged(index, at: now, &actions)
        owe(at: now, &actions)
        return actions
    }

    /// A device that another process added: its duty begins here.
    private mutating func adopt(_ device: Device) -> [UserAction] {
        devices.append(device)
        devices[devices.count - 1].knownSinceSeq = head
        return [.saveDevice(device.key)]
    }

    /// A device whose rows are gone, with its tasks.
    private mutating func leave(_ index: Int, at now: Moment) -> [UserAction] {
        let gone = devices.remove(at: index)
        var actions = gone.presence.map { [UserAction.close($0.connection, .signedOut)] } ?? []
        endRings(of: gone.key, CallRing.End(.dropped, .deviceRemoved), at: now, &actions) { _ in true }
        return actions
    }

    /// Whether a credential of the device, issued at this time, is still taken: none is that was issued
    /// before a remote logout, or in its second (`iat` counts whole seconds).
    package func accepts(credentialIssuedAt issuedAt: WallTime, of device: DeviceID) -> Bool {
        guard let loggedOutAt = self.device(device)?.profile.loggedOutAt else { return true }
        return issuedAt > loggedOutAt
    }

    /// Deletes one token, and with the last alert-capable one the open tasks of the device.
    mutating func remove(
        _ token: TokenKey, device index: Int, _ reason: OutcomeReason, at now: Moment,
        _ actions: inout [UserAction]
    ) {
        guard devices[index].tokens.contains(where: { $0.key == token }) else { return }
        devices[index].tokens.removeAll { $0.key == token }
        actions.append(.removeToken(devices[index].key, token))
        if !devices[index].isWakeable { dropAll(index, reason, at: now, &actions) }
        callTokensChanged(index, at: now, &actions)
    }

    private mutating func dropAll(
        _ index: Int, _ reason: OutcomeReason, at now: Moment, _ actions: inout [UserAction]
    ) {
        endTasks(index, where: { _ in true }, .dropped, reason, nil, at: now, &actions)
    }

    mutating func findOrAdd(
        _ device: DeviceID, at now: Moment, keys: inout KeyAllocator, _ actions: inout [UserAction]
    ) -> Int {
        if let index = index(device) {
            devices[index].profile.lastSeen = now.wall
            if devices[index].profile.isSignedOut {
                devices[index].profile.isSignedOut = false
                devices[index].knownSinceSeq = head
                actions.append(.saveDevice(devices[index].key))
            }
            return index
        }
        let added = Device(
            key: keys.allot(), id: device, profile: DeviceProfile(lastSeen: now.wall), knownSinceSeq: head)
        devices.append(added)
        actions.append(.saveDevice(added.key))
        return devices.count - 1
    }
}
