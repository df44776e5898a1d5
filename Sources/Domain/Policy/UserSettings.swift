/// What a user has set for all devices and conversations; nil: not set.
package struct UserSettings: Equatable, Sendable {
    package var quietHours: QuietHours?
    /// A name of the IANA database: the zone of the quiet hours, whatever the devices report.
    package var timeZone: String?
    /// The language of a device that reports none.
    package var locale: String?

    package init(quietHours: QuietHours? = nil, timeZone: String? = nil, locale: String? = nil) {
        self.quietHours = quietHours
        self.timeZone = timeZone
        self.locale = locale
    }

    /// What a call changes of it: `nil` leaves a setting as it is, `.some(nil)` clears it.
    package struct Change: Equatable, Sendable {
        package var quietHours: QuietHours??
        package var timeZone: String??
        package var locale: String??

        package init() {}
    }

    package func changed(by change: Change) -> UserSettings {
        UserSettings(
            quietHours: change.quietHours ?? quietHours, timeZone: change.timeZone ?? timeZone,
            locale: change.locale ?? locale)
    }
}
