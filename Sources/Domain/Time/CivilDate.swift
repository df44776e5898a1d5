/// The Gregorian calendar, for all years, in days since January 1 1970.
enum CivilDate {
    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// - Precondition: a month from 1 to 12.
    static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years from March on: the leap day is then the last of its year.
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays =
            shifted.dividedDown(by: 4) - shifted.dividedDown(by: 100) + shifted.dividedDown(by: 400)
        return shifted * 365 + leapDays + dayOfYear - 719_468
    }

    static func year(of day: Int64) -> Int64 {
        var year = 1970 + (day * 400).dividedDown(by: 146_097)
        while dayNumber(year, 1, 1) > day { year -= 1 }
        while dayNumber(year + 1, 1, 1) <= day { year += 1 }
        return year
    }
}
