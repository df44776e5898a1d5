/// The fixed date format of HTTP (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let weekdays: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Mon, 30 Nov 2026 05:15:00 GMT` for seconds since 1970.
    package static func text(atUnixSeconds seconds: Int64) -> String {
        let (days, second) = Int(seconds).flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        var text: [UInt8] = []
        StaticText.append(weekdays[CivilDate.weekday(daysSince1970: days)], to: &text)
        StaticText.append(", ", to: &text)
        DecimalText.append(date.day, digits: 2, to: &text)
        text.append(ASCII.space)
        StaticText.append(months[date.month - 1], to: &text)
        text.append(ASCII.space)
        DecimalText.append(date.year, digits: 4, to: &text)
        text.append(ASCII.space)
        DecimalText.append(second / 3_600, digits: 2, to: &text)
        text.append(ASCII.colon)
        DecimalText.append(second / 60 % 60, digits: 2, to: &text)
        text.append(ASCII.colon)
        DecimalText.append(second % 60, digits: 2, to: &text)
        StaticText.append(" GMT", to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
