package import Domain
package import Engine
import Wire

/// The body of `PUT /v1/users/{user}/settings`: what is left out stays as it is, `null` clears.
package struct UserSettingsBody: Sendable {
    package let change: UserSettings.Change

    /// - Parameter zones: a zone that it does not have is refused: nobody's quiet hours go by a typo.
    package init(parsing body: [UInt8], zones: TimeZones) throws(Problem) {
        var change = UserSettings.Change()
        for (key, value) in try JSONDocument.object(parsing: body).members {
            switch key {
            case "quiet_hours": change.quietHours = .some(try value.present.map(Self.quietHours))
            case "time_zone":
                change.timeZone = .some(
                    try value.present.map { node throws(Problem) in try Self.zone(node, zones) })
            case "locale":
                change.locale = .some(
                    try value.present.map { node throws(Problem) in try node.word("locale", upTo: 64) })
            default: throw .unknownField(key)
            }
        }
        self.change = change
    }

    private static func zone(_ node: JSONNode, _ zones: TimeZones) throws(Problem) -> String {
        let name = try node.text("time_zone", upTo: 64)
        guard zones[name] != nil else { throw .invalid("time_zone", "must be a zone of the IANA database") }
        return name
    }

    private static func quietHours(_ node: JSONNode) throws(Problem) -> QuietHours {
        var start: Int?
        var end: Int?
        for (key, value) in try node.object("quiet_hours").members {
            switch key {
            case "start": start = try minute(value, "quiet_hours.start")
            case "end": end = try minute(value, "quiet_hours.end")
            default: throw .unknownField("quiet_hours.\(key)")
            }
        }
        guard let start else { throw .missing("quiet_hours.start") }
        guard let end else { throw .missing("quiet_hours.end") }
        guard let hours = QuietHours(start: start, end: end) else {
            throw .invalid("quiet_hours", "must lie within a day")
        }
        return hours
    }

    /// `HH:MM`, from 00:00 to 23:59.
    private static func minute(_ node: JSONNode, _ path: StaticString) throws(Problem) -> Int {
        let text = Array(try node.text(path, upTo: 64).utf8)
        let digits = text.map { Int($0) - 0x30 }
        guard text.count == 5, text[2] == UInt8(ascii: ":"),
            [0, 1, 3, 4].allSatisfy({ (0...9).contains(digits[$0]) })
        else { throw .invalid(path, "must be a time of day as HH:MM") }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4])
        guard hour < 24, minute < 60 else { throw .invalid(path, "must be from 00:00 to 23:59") }
        return hour * 60 + minute
    }
}

extension JSONWriter {
    /// All that the user has set, `null` for what is not.
    mutating func userSettings(_ settings: UserSettings) {
        beginObject()
        key("quiet_hours")
        if let hours = settings.quietHours {
            beginObject()
            member("start", Self.clock(hours.start))
            member("end", Self.clock(hours.end))
            endObject()
        } else {
            null()
        }
        key("time_zone")
        text(settings.timeZone)
        key("locale")
        text(settings.locale)
        endObject()
    }

    private static func clock(_ minute: Int) -> String {
        let (hour, rest) = (minute / 60, minute % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
    }
}
