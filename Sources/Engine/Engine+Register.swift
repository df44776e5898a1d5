package import Domain

extension Engine {
    /// A device registers its tokens. A token that another installation holds, or another user of this one
    /// who is not listed in `accounts`, moves here: the answer comes after the former owner has dropped it.
    package func register(
        _ user: UserName, _ device: DeviceID, _ registration: Registration, as caller: DeviceCaller? = nil
    ) async -> Result<DeviceStatus, Refusal> {
        // A revoked credential must not take a token away from its owner.
        if let caller, case .failure(let refusal) = await permission(user, caller) {
            return .failure(refusal)
        }
        let lookups = registration.tokens.map(\.lookup)
        await tokenLocks.lock(lookups)
        defer { tokenLocks.unlock(lookups) }
        var registration = registration
        var keepers: [TokenHolder] = []
        do {
            let holders = try await directory.tokenHolders(user.tenant, lookups: lookups)
            let former = holders.filter { holder in
                if holder.user == user.user { return holder.device != device }
                return holder.device != device || !registration.accounts.contains(holder.user)
            }
            for (owner, lost) in Dictionary(grouping: former, by: { Owner(user: $0.user, device: $0.device) })
            {
                let name = UserName(tenant: user.tenant, user: owner.user)
                let dropped = await loseTokens(name, owner.device, Set(lost.map(\.lookup)))
                if case .failure(let refusal) = dropped { return .failure(refusal) }
            }
            keepers = holders.filter { holder in
                holder.user != user.user && holder.device == device
                    && registration.accounts.contains(holder.user)
            }
        } catch {
            return .failure(.unavailable)
        }
        registration.sharedLookups = Set(keepers.map(\.lookup))
        let registered = await submit(registration, of: user, device, as: caller)
        if case .success = registered { tellSharing(keepers, user.tenant) }
        return registered
    }

    private func submit(
        _ registration: Registration, of user: UserName, _ device: DeviceID, as caller: DeviceCaller?
    ) async -> Result<DeviceStatus, Refusal> {
        await withCheckedContinuation { continuation in
            let call = ShardEvent.register(user, device, registration) { continuation.resume(returning: $0) }
            shard(of: user).submit(caller.map { .byDevice(user, $0, call) } ?? call)
        }
    }

    /// A user who is not in memory is loaded with what is shared then.
    private func tellSharing(_ keepers: [TokenHolder], _ tenant: TenantKey) {
        for (owner, kept) in Dictionary(grouping: keepers, by: { Owner(user: $0.user, device: $0.device) }) {
            let name = UserName(tenant: tenant, user: owner.user)
            shard(of: name).submit(.tokensShared(name, owner.device, lookups: Set(kept.map(\.lookup))))
        }
    }

    private func permission(_ user: UserName, _ caller: DeviceCaller) async -> Result<Void, Refusal> {
        await withCheckedContinuation { continuation in
            shard(of: user).submit(
                .byDevice(user, caller, .look(user, .permission { continuation.resume(returning: $0) }))
            )
        }
    }

    private struct Owner: Hashable {
        let user: UserID
        let device: DeviceID
    }

    private func loseTokens(
        _ user: UserName, _ device: DeviceID, _ lookups: Set<[UInt8]>
    ) async -> Result<Void, Refusal> {
        await withCheckedContinuation { continuation in
            shard(of: user).submit(
                .loseTokens(user, device, lookups: lookups) { continuation.resume(returning: $0) }
            )
        }
    }
}
