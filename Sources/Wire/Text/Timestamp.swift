/// RFC 3339 timestamps in UTC and milliseconds since 1970, each from the other.
package enum Timestamp {
    private static let millisecondsPerDay = 86_400_000
    /// The years four digits can tell, in milliseconds since 1970.
    private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// `2026-11-30T08:00:00.000Z`; milliseconds always, so that texts sort like
    /// times. Times outside the years 0 to 9999 are moved to the nearest end.
    package static func text(millisecondsSince1970: Int64) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(millisecondsSince1970: millisecondsSince1970, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text without making a `String`.
    package static func append(millisecondsSince1970: Int64, to bytes: inout [UInt8]) {
        let clamped = Int(min(max(millisecondsSince1970, range.lowerBound), range.upperBound))
        let (days, time) = clamped.flooredDivision(by: millisecondsPerDay)
        let date = CivilDate(daysSince1970: days)
        DecimalText.append(date.year, digits: 4, to: &bytes)
        bytes.append(ASCII.minus)
        DecimalText.append(date.month, digits: 2, to: &bytes)
        bytes.append(ASCII.minus)
        DecimalText.append(date.day, digits: 2, to: &bytes)
        bytes.append(0x54)
        DecimalText.append(time / 3_600_000, digits: 2, to: &bytes)
        bytes.append(ASCII.colon)
        DecimalText.append(time / 60_000 % 60, digits: 2, to: &bytes)
        bytes.append(ASCII.colon)
        DecimalText.append(time / 1_000 % 60, digits: 2, to: &bytes)
        bytes.append(ASCII.period)
        DecimalText.append(time % 1_000, digits: 3, to: &bytes)
        bytes.append(0x5A)
    }

    /// Reads a timestamp with any offset; digits beyond milliseconds are dropped and a leap second counts as
    /// the one before it. Nil if it is malformed or no such date exists.
    package static func milliseconds(parsing text: String) -> Int64? {
        milliseconds(parsing: Array(text.utf8))
    }

    /// Reads a timestamp from bytes.
    package static func milliseconds(parsing bytes: some Collection<UInt8>) -> Int64? {
        var reader = TimestampReader(bytes: Array(bytes))
        return reader.read()
    }
}

/// Reads the grammar of RFC 3339 section 5.6 from left to right.
private struct TimestampReader {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() -> Int64? {
        guard let year = number(4), take(ASCII.minus), let month = number(2), take(ASCII.minus),
            let day = number(2), take(0x54) || take(0x74) || take(ASCII.space),
            let hour = number(2), take(ASCII.colon), let minute = number(2), take(ASCII.colon),
            let second = number(2), let fraction = fraction(), let offset = offset(),
            index == bytes.count
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.exists, hour < 24, minute < 60, second <= 60 else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + min(second, 59)
        return Int64((seconds - offset * 60) * 1_000 + fraction)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func number(_ digits: Int) -> Int? {
        guard index + digits <= bytes.count else { return nil }
        var value = 0
        for _ in 0..<digits {
            guard ASCII.isDigit(bytes[index]) else { return nil }
            value = value * 10 + Int(bytes[index] - ASCII.zero)
            index += 1
        }
        return value
    }

    /// Milliseconds; 0 where there is no fraction.
    private mutating func fraction() -> Int? {
        guard take(ASCII.period) else { return 0 }
        var value = 0
        var digits = 0
        while index < bytes.count, ASCII.isDigit(bytes[index]) {
            if digits < 3 { value = value * 10 + Int(bytes[index] - ASCII.zero) }
            digits += 1
            index += 1
        }
        guard (1...9).contains(digits) else { return nil }
        for _ in min(digits, 3)..<3 { value *= 10 }
        return value
    }

    /// Minutes east of UTC.
    private mutating func offset() -> Int? {
        if take(0x5A) || take(0x7A) { return 0 }
        let isWest = take(ASCII.minus)
        guard isWest || take(ASCII.plus), let hours = number(2), take(ASCII.colon), let minutes = number(2),
            hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
}
