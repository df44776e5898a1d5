/// A day of the proleptic Gregorian calendar, counted from 1970-01-01 and back.
///
/// Years begin in March here, so that the leap day is the last of its year and needs no case of its own.
struct CivilDate: Equatable {
    var year: Int
    var month: Int
    var day: Int

    private static let daysPerEra = 146_097
    /// Days from 0000-03-01 to 1970-01-01.
    private static let epoch = 719_468

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSince1970 days: Int) {
        let shifted = days + Self.epoch
        let era = (shifted >= 0 ? shifted : shifted - Self.daysPerEra + 1) / Self.daysPerEra
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        self.month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        self.year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.epoch
    }

    /// Whether the month has such a day.
    var exists: Bool {
        (1...12).contains(month) && day >= 1 && CivilDate(daysSince1970: daysSince1970) == self
    }

    /// 0 for Sunday.
    static func weekday(daysSince1970 days: Int) -> Int { ((days + 4) % 7 + 7) % 7 }
}

extension DecimalText {
    /// Appends the last `digits` decimal digits, zeros in front.
    static func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(ASCII.zero + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}

extension BinaryInteger {
    /// Division rounding down, also below zero.
    func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
