import Domain
import Engine

/// A token as the digest log has it, and what the sender needs of it, if this database has that.
typealias DigestedToken = (digest: TokenDigest, sealed: SealedToken?)

extension Row {
    /// The columns of a token: its digest, then what the sender needs, which another process may keep. Nil
    /// behind an outer join that found no token.
    mutating func digestedTokenOrNil() -> DigestedToken? {
        guard let key = int8OrNil() else { return nil }
        guard let transport = Transport(rawValue: UInt8(int2())),
            let environment = Environment(rawValue: UInt8(int2()))
        else { preconditionFailure("a CHECK holds transports and environments") }
        let digest = TokenDigest(
            key: TokenKey(key), transport: transport, environment: environment, registeredAt: timestamp())
        guard let topic = textOrNil(), let sealed = byteaOrNil(), let keyID = textOrNil(),
            let lookup = byteaOrNil()
        else { return (digest, nil) }
        return (
            digest,
            SealedToken(digest: digest, sealed: sealed, keyID: keyID, lookup: lookup, topic: topic)
        )
    }
}

extension FollowedDigest {
    /// The rows of `follow_digests`: one per token, in the order of revisions.
    static func read(_ rows: Rows) -> [FollowedDigest] {
        var read: [FollowedDigest] = []
        for part in rows.map({ $0.followedDigest() }) {
            if let last = read.last, last.revision == part.revision {
                read[read.count - 1] = last.adding(part)
            } else {
                read.append(part)
            }
        }
        return read
    }

    private func adding(_ other: FollowedDigest) -> FollowedDigest {
        guard let device, let more = other.device else { return self }
        return FollowedDigest(revision: revision, key: key, user: user, device: device.adding(more))
    }
}

extension Row {
    fileprivate mutating func followedDigest() -> FollowedDigest {
        let revision = int8()
        let key = DeviceKey(int8())
        let user = UserKey(int8())
        guard let device = textOrNil() else {
            return FollowedDigest(revision: revision, key: key, user: user, device: nil)
        }
        let (appliedSeq, knownSinceSeq) = (int8(), int8())
        let profile = profile()
        let token = digestedTokenOrNil()
        return FollowedDigest(
            revision: revision, key: key, user: user,
            device: StoredDevice(
                key: key, device: DeviceID(device), appliedSeq: appliedSeq, knownSinceSeq: knownSinceSeq,
                profile: profile, digest: token.map { [$0.digest] } ?? [],
                tokens: token?.sealed.map { [$0] } ?? []))
    }
}
