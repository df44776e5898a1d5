/// A zone's rule for every year from the last known transition on: the POSIX `TZ` text that a file of the
/// IANA database ends with (RFC 9636 §3.3), such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneYear: Equatable, Sendable {
    private let standard: Int64
    private let summer: Summer?

    private struct Summer: Equatable {
        let offset: Int64
        let begins: Change
        let ends: Change
    }

    /// A day of the year, and the second of that day by the clock that shows until then.
    private struct Change: Equatable {
        enum Day: Equatable {
            /// 1 to 365, February 29 never counted.
            case julian(Int64)
            /// 0 to 365, February 29 counted.
            case zeroBased(Int64)
            /// Weekday 0 (Sunday) to 6 of week 1 to 5 (the last) of a month.
            case weekday(Int64, week: Int64, month: Int64)
        }

        let day: Day
        let second: Int64

        /// In seconds since 1970 by a clock without an offset.
        func time(in year: Int64) -> Int64 { dayNumber(in: year) * 86_400 + second }

        private func dayNumber(in year: Int64) -> Int64 {
            let first = CivilDate.dayNumber(year, 1, 1)
            switch day {
            case .julian(let day):
                return first + day - 1 + (CivilDate.isLeap(year) && day >= 60 ? 1 : 0)
            case .zeroBased(let day): return first + day
            case .weekday(let weekday, let week, let month):
                let start = CivilDate.dayNumber(year, month, 1)
                // Day 0, January 1 1970, was a Thursday.
                let shift = (weekday - (start + 4)).remainderDown(by: 7)
                let day = start + shift + (week - 1) * 7
                return day < start + CivilDate.days(in: month, of: year) ? day : day - 7
            }
        }
    }

    func offset(at second: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilDate.year(of: (second + standard).dividedDown(by: 86_400))
        var latest: (time: Int64, offset: Int64) = (.min, standard)
        // A change may lie days beyond its year, so the neighbours are asked, too. Where one summer begins at
        // the instant at which another ends, it is summer all year.
        for year in year - 1...year + 1 {
            let begins = summer.begins.time(in: year) - standard
            let ends = summer.ends.time(in: year) - summer.offset
            if ends <= second, ends > latest.time { latest = (ends, standard) }
            if begins <= second, begins >= latest.time { latest = (begins, summer.offset) }
        }
        return latest.offset
    }
}

extension ZoneYear {
    /// Nil: not a rule of this form.
    init?(posix text: [UInt8]) {
        var reader = RuleReader(rest: text[...])
        guard reader.skipName(), let west = reader.offset() else { return nil }
        standard = -west
        guard !reader.isAtEnd else {
            summer = nil
            return
        }
        guard reader.skipName() else { return nil }
        // An hour ahead of standard time, unless it is said.
        var offset = standard + 3_600
        if !reader.isNext(",") {
            guard let west = reader.offset() else { return nil }
            offset = -west
        }
        guard reader.skip(","), let begins = Self.change(&reader), reader.skip(","),
            let ends = Self.change(&reader), reader.isAtEnd
        else { return nil }
        summer = Summer(offset: offset, begins: begins, ends: ends)
    }

    private static func change(_ reader: inout RuleReader) -> Change? {
        guard let day = day(&reader) else { return nil }
        guard reader.skip("/") else { return Change(day: day, second: 7_200) }
        guard let second = reader.offset() else { return nil }
        return Change(day: day, second: second)
    }

    private static func day(_ reader: inout RuleReader) -> Change.Day? {
        if reader.skip("J") { return reader.number(1...365).map { .julian($0) } }
        guard reader.skip("M") else { return reader.number(0...365).map { .zeroBased($0) } }
        guard let month = reader.number(1...12), reader.skip("."), let week = reader.number(1...5),
            reader.skip("."), let weekday = reader.number(0...6)
        else { return nil }
        return .weekday(weekday, week: week, month: month)
    }
}

/// Takes a POSIX rule apart, byte by byte.
private struct RuleReader {
    var rest: ArraySlice<UInt8>

    var isAtEnd: Bool { rest.isEmpty }

    func isNext(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isNext(character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Three letters or more, or anything between angle brackets.
    mutating func skipName() -> Bool {
        if skip("<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let name = rest.prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// `[+-]h[hh][:mm[:ss]]` in seconds.
    mutating func offset() -> Int64? {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        guard let hours = number(0...167) else { return nil }
        var seconds = hours * 3_600
        if skip(":") {
            guard let minutes = number(0...59) else { return nil }
            seconds += minutes * 60
            if skip(":") {
                guard let second = number(0...59) else { return nil }
                seconds += second
            }
        }
        return isNegative ? -seconds : seconds
    }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        return range.contains(value) ? value : nil
    }
}
