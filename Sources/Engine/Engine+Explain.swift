package import Domain

extension Engine {
    /// All that is known of a message and a user: what is open
    /// comes from memory, what is over from the store.
    package func explain(
        _ user: UserName, _ message: MessageID, device: DeviceID?
    ) async -> Result<Explanation, Refusal> {
        do throws(Refusal) {
            let live = try await withCheckedContinuation { continuation in
                tasks(user, of: message) { continuation.resume(returning: $0) }
            }.get()
            let devices = try await withCheckedContinuation { continuation in
                self.devices(user) { continuation.resume(returning: $0) }
            }.get()
            let stored = try await recorded(MessageName(tenant: user.tenant, message: message), user.user)
            return .success(explanation(user, message, stored, live, devices).narrowed(to: device))
        } catch {
            return .failure(error)
        }
    }

    private func recorded(
        _ message: MessageName, _ user: UserID
    ) async throws(Refusal) -> StoredExplanation {
        do {
            guard let stored = try await directory.outcomes(of: message, user: user) else {
                throw Refusal.noSuchMessage
            }
            return stored
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .unavailable
        }
    }

    private func explanation(
        _ user: UserName, _ message: MessageID, _ stored: StoredExplanation, _ live: [LiveTask],
        _ devices: [DeviceStatus]
    ) -> Explanation {
        var told = live.map {
            DeviceExplanation(
                device: $0.device, state: $0.state, reason: "",
                trace: TraceEncoding.json(TraceEncoding.encode($0.steps)))
        }
        for outcome in stored.outcomes where !told.contains(where: { $0.device == outcome.device }) {
            told.append(
                DeviceExplanation(
                    device: outcome.device, state: outcome.outcome.word, reason: outcome.reason.word,
                    trace: TraceEncoding.json(outcome.trace)))
        }
        let isOwn = stored.sender == user.user
        for device in devices where !told.contains(where: { $0.device == device.device }) {
            told.append(
                DeviceExplanation(
                    device: device.device, state: "no_task",
                    reason: reason(of: device, stored, isOwn: isOwn), trace: Array("[]".utf8)))
        }
        return Explanation(
            message: message, user: user.user, seq: stored.seq, materialisedAt: stored.materialisedAt,
            mention: stored.mention, isOwnMessage: isOwn, wantsPush: stored.wantsPush,
            devices: told.sorted { $0.device < $1.device })
    }

    /// Why a device has neither a task nor a record: told by the message, or by when the device came.
    private func reason(of device: DeviceStatus, _ stored: StoredExplanation, isOwn: Bool) -> String {
        if isOwn { return OutcomeReason.ownMessage.word }
        if !stored.wantsPush { return OutcomeReason.pushNotWanted.word }
        if let registered = device.profile.registeredAt, registered > stored.materialisedAt {
            return "registered_later"
        }
        return "no_record"
    }
}

extension Explanation {
    fileprivate func narrowed(to device: DeviceID?) -> Explanation {
        guard let device else { return self }
        return Explanation(
            message: message, user: user, seq: seq, materialisedAt: materialisedAt, mention: mention,
            isOwnMessage: isOwnMessage, wantsPush: wantsPush, devices: devices.filter { $0.device == device })
    }
}
