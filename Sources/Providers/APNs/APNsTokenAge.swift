package import Domain

/// When an APNs provider token must be renewed and when it may be: told from its `iat`.
package enum APNsTokenAge {
    /// Renewed from here on, before Apple's hour is over.
    package static let renewalMilliseconds: Int64 = 45 * 60_000
    /// A token of another start is used up to here.
    package static let reusableMilliseconds: Int64 = 50 * 60_000
    /// Apple refuses tokens renewed more often.
    package static let floorMilliseconds: Int64 = 20 * 60_000

    package static func isReusable(issuedAt: WallTime, at now: WallTime) -> Bool {
        now - issuedAt < reusableMilliseconds && issuedAt - now < 60_000
    }

    /// Whether a token that Apple called expired may be replaced; younger, it is our clock that is wrong.
    package static func mayReplace(issuedAt: WallTime, at now: WallTime) -> Bool {
        abs(now - issuedAt) >= floorMilliseconds
    }

    /// How long until the renewal is due; not negative.
    package static func untilRenewal(issuedAt: WallTime, at now: WallTime) -> Int64 {
        max(0, issuedAt + renewalMilliseconds - now)
    }
}
