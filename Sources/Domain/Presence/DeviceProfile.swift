/// What a device tells of itself, beside its tokens.
package struct DeviceProfile: Equatable, Sendable {
    package var locale: String?
    package var timeZone: String?
    package var appVersion: String?
    /// When it last registered; nil for a device that has only connected.
    package var registeredAt: WallTime?
    package var lastSeen: WallTime
    /// Signed out or logged out remotely: kept for its name and cursor only, no longer decided for.
    package var isSignedOut: Bool
    /// When it was logged out remotely, last: credentials issued up to then are refused.
    package var loggedOutAt: WallTime?

    package init(
        locale: String? = nil, timeZone: String? = nil, appVersion: String? = nil,
        registeredAt: WallTime? = nil,
        lastSeen: WallTime, isSignedOut: Bool = false, loggedOutAt: WallTime? = nil
    ) {
        self.locale = locale
        self.timeZone = timeZone
        self.appVersion = appVersion
        self.registeredAt = registeredAt
        self.lastSeen = lastSeen
        self.isSignedOut = isSignedOut
        self.loggedOutAt = loggedOutAt
    }
}
