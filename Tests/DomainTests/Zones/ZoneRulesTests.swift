import Testing

@testable import Domain

/// Another implementation's values for the days of 2026 and 2027 on which clocks change.
enum ZoneTable {
    struct Expected: CustomTestStringConvertible {
        let name: String
        /// The rule for later years, where it alone says the same of these two; nil: it does not.
        let rule: String?
        /// Per window, how many of the minutes lie inside.
        let inside: [Int]
        /// UTC minutes since 1970, the local minute of the day, and how many minutes go on like that.
        let runs: [(utc: Int64, local: Int, count: Int)]
        /// The file of the IANA database in base64.
        let file: String

        var testDescription: String { name }

        var bytes: [UInt8] { Base64Text.decode(file) }
    }
}

/// The standard library has no base64, and `Domain` knows no other target.
private enum Base64Text {
    static func decode(_ text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for digit in text.utf8.compactMap(alphabet.firstIndex) {
            bits = bits << 6 | UInt32(digit)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}

@Suite struct ZoneRulesTests {
    private func check(_ rules: ZoneRules, _ expected: ZoneTable.Expected) {
        let windows = ZoneTable.windows.map { QuietHours(start: $0.start, end: $0.end) }
        var inside = windows.map { _ in 0 }
        var wrong = 0
        for run in expected.runs {
            for minute in 0..<run.count {
                let time = WallTime(milliseconds: (run.utc + Int64(minute)) * 60_000)
                let local = rules.minuteOfDay(at: time)
                if local != (run.local + minute) % 1_440 { wrong += 1 }
                for index in windows.indices where windows[index]?.contains(minute: local) == true {
                    inside[index] += 1
                }
            }
        }
        #expect(wrong == 0)
        #expect(inside == expected.inside)
    }

    @Test(arguments: ZoneTable.zones)
    func `the minutes around each change of 2026 and 2027 are those of another implementation`(
        expected: ZoneTable.Expected
    ) throws {
        check(try #require(ZoneRules(name: expected.name, tzif: expected.bytes)), expected)
    }

    @Test(arguments: ZoneTable.zones)
    func `the rule for later years alone says the same`(expected: ZoneTable.Expected) throws {
        guard let rule = expected.rule else { return }
        let later = try #require(ZoneYear(posix: Array(rule.utf8)))
        check(ZoneRules(name: expected.name, later: later), expected)
    }

    @Test func `the table has twenty zones and more, with every kind of change`() {
        #expect(ZoneTable.zones.count >= 20)
        #expect(ZoneTable.zones.count { $0.runs.count >= 7 } >= 12)
        #expect(ZoneTable.zones.contains { $0.rule == nil })
    }

    @Test(arguments: [
        // A day of the year with and without the leap day, and summer all year.
        ("AAA3BBB,J60/2,J300", "2028-03-01T05:00Z", "2028-10-27T04:00Z"),
        ("AAA3BBB,59/2,300", "2028-02-29T05:00Z", "2028-10-27T04:00Z"),
    ])
    func `days of the year begin and end summer`(rule: String, begins: String, ends: String) throws {
        let later: ZoneYear = try #require(ZoneYear(posix: Array(rule.utf8)))
        let rules = ZoneRules(name: "x", later: later)
        for (text, before, after) in [(begins, -3, -2), (ends, -2, -3)] {
            let second = seconds(text)
            #expect(rules.offset(at: WallTime(milliseconds: second * 1_000 - 1)) == Int64(before) * 3_600)
            #expect(rules.offset(at: WallTime(milliseconds: second * 1_000)) == Int64(after) * 3_600)
        }
    }

    @Test func `a summer that begins when the last one ends lasts all year`() throws {
        let rule = try #require(ZoneYear(posix: Array("XXX3EDT4,0/0,J365/23".utf8)))
        for day in stride(from: seconds("2026-12-25T00:00Z"), to: seconds("2028-01-09T00:00Z"), by: 3_600) {
            #expect(rule.offset(at: day) == -4 * 3_600)
        }
    }

    @Test(arguments: [
        "", "AB3", "AAA", "AAA168", "AAA3BBB", "AAA3BBB,M13.1.0,M4.1.0", "AAA3BBB,M3.6.0,M4.1.0",
        "AAA3BBB,M3.1.7,M4.1.0", "AAA3BBB,J0,J1", "AAA3BBB,366,J1", "AAA3BBB,M3.1.0", "<AAA3",
        "AAA3BBB,M3.1.0,J1x",
        "AAA3:60", "AAA99999999999999999999",
    ])
    func `what is no rule is refused`(text: String) {
        #expect(ZoneYear(posix: Array(text.utf8)) == nil)
    }

    @Test func `a file cut short anywhere, or with a wrong byte, is refused or read, and traps never`() throws
    {
        let whole = try #require(ZoneTable.zones.first).bytes
        let isRead = whole.indices.contains { ZoneRules(name: "x", tzif: Array(whole[..<$0])) != nil }
        #expect(!isRead)
        for index in whole.indices where index < 140 || index % 16 == 0 {
            for byte: UInt8 in [0, 0x7f, 0xff] {
                var broken = whole
                broken[index] = byte
                let rules = ZoneRules(name: "x", tzif: broken)
                _ = rules?.minuteOfDay(at: WallTime(milliseconds: 1_800_000_000_000))
            }
        }
        #expect(ZoneRules(name: "x", tzif: Array(repeating: 0, count: ZoneRules.largestFile + 1)) == nil)
    }

    @Test func `times before 1970 have minutes, too`() {
        #expect(ZoneRules.utc.minuteOfDay(at: WallTime(milliseconds: -1)) == 1_439)
        #expect(ZoneRules.utc.minuteOfDay(at: WallTime(milliseconds: -60_001)) == 1_438)
    }

    @Test(arguments: [
        "Europe/Berlin", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "America/Port-au-Prince",
        "EST5EDT",
    ])
    func `a name of the database is a name`(name: String) { #expect(ZoneRules.isName(name)) }

    @Test(arguments: [
        "", "/", "/etc/passwd", "../etc/passwd", "Europe/../../etc/passwd", "Europe//Berlin", "Europe/",
        "Europe/.x",
        "Europe\\Berlin", "Europe/Ber lin", "Zürich", "a\0b", "-x", String(repeating: "a", count: 65),
    ])
    func `no name leads out of the database`(name: String) { #expect(!ZoneRules.isName(name)) }

    private func seconds(_ text: String) -> Int64 {
        let numbers = text.split { !$0.isNumber }.compactMap { Int64($0) }
        return CivilDate.dayNumber(numbers[0], numbers[1], numbers[2]) * 86_400 + numbers[3] * 3_600
            + numbers[4] * 60
    }
}

@Suite struct QuietHoursTests {
    @Test(arguments: [
        (540, 1_020, 540, true), (540, 1_020, 1_019, true), (540, 1_020, 1_020, false),
        (540, 1_020, 539, false),
        (1_320, 420, 1_320, true), (1_320, 420, 0, true), (1_320, 420, 419, true), (1_320, 420, 420, false),
        (1_320, 420, 1_319, false), (600, 600, 600, true), (600, 600, 599, true), (0, 0, 0, true),
    ])
    func `a window runs from its start until the clock next shows its end`(
        start: Int, end: Int, minute: Int, isInside: Bool
    ) {
        #expect(QuietHours(start: start, end: end)?.contains(minute: minute) == isInside)
    }

    @Test(arguments: [(-1, 0), (0, -1), (1_440, 0), (0, 1_440)])
    func `only minutes of a day make a window`(start: Int, end: Int) {
        #expect(QuietHours(start: start, end: end) == nil)
    }
}
