import Testing

@testable import Wire

@Suite struct TextTests {
    @Test(arguments: [
        ("short", 5, "short"), ("longer", 5, "lo…"), ("longer", 3, "…"), ("longer", 2, "lo"),
        ("longer", 0, ""),
        ("日本語", 9, "日本語"), ("日本語", 8, "日…"), ("ab👩‍👩‍👧", 10, "ab…"), ("e\u{301}e\u{301}e\u{301}", 8, "e\u{301}…"),
        ("e\u{301}xyz", 5, "…"), ("a\r\nbcd", 5, "a…"), ("👩‍👩‍👧", 3, "…"), ("👩‍👩‍👧", 2, ""),
    ])
    func `text is cut between characters`(text: String, limit: Int, cut: String) {
        let result = TextLimits.truncated(text, toUTF8Bytes: limit)
        #expect(result == cut)
        #expect(result.utf8.count <= limit)
    }

    @Test(arguments: [
        ("a", true), ("", false), (String(repeating: "x", count: 128), true),
        (String(repeating: "x", count: 129), false),
        ("a b/ü你", true), ("a\u{0}", false), ("a\n", false), ("\u{7F}", false), ("\u{85}", false),
        ("\u{A0}", true),
        ("\u{80}", false), ("\u{9F}", false), ("ÀÂ", true), ("more than eight bytes é", true),
        ("more than eight bytes é\u{85}", false), ("more than eight bytes\t", false),
        ("12345678\u{7F}", false),
    ])
    func `an id has 1 to 128 bytes and no control characters`(text: String, isValid: Bool) {
        #expect(TextLimits.isValidID(text) == isValid)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1),
            ("2026-11-30T08:00:00Z", 1_796_025_600_000),
            ("2026-11-30T09:00:00+01:00", 1_796_025_600_000),
            ("2026-11-30T02:30:00.5-05:30", 1_796_025_600_500),
            ("2026-11-30t08:00:00.123456789z", 1_796_025_600_123),
            ("2026-11-30 08:00:00Z", 1_796_025_600_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000), ("1969-12-31T23:59:59.999Z", -1),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("2016-12-31T23:59:60Z", 1_483_228_799_000),
            ("2026-02-29T00:00:00Z", nil), ("1900-02-29T00:00:00Z", nil), ("2026-13-01T00:00:00Z", nil),
            ("2026-00-01T00:00:00Z", nil),
            ("2026-04-31T00:00:00Z", nil), ("2026-01-00T00:00:00Z", nil), ("2026-01-01T24:00:00Z", nil),
            ("2026-01-01T00:60:00Z", nil),
            ("2026-01-01T00:00:61Z", nil), ("2026-01-01T00:00:00", nil), ("2026-01-01T00:00:00.Z", nil),
            ("2026-01-01", nil),
            ("2026-1-1T00:00:00Z", nil), ("2026-01-01T00:00:00Zx", nil), ("2026-01-01T00:00:00+24:00", nil),
            ("", nil),
            ("2026-01-01T00:00:00+0100", nil), ("20é6-01-01T00:00:00Z", nil),
        ] as [(String, Int64?)])
    func `timestamps are read`(text: String, milliseconds: Int64?) {
        #expect(Timestamp.milliseconds(parsing: text) == milliseconds)
    }

    @Test func `timestamps read back the same`() {
        #expect(Timestamp.text(millisecondsSince1970: 1_796_025_600_007) == "2026-11-30T08:00:00.007Z")
        #expect(Timestamp.text(millisecondsSince1970: .max) == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp.text(millisecondsSince1970: .min) == "0000-01-01T00:00:00.000Z")
        var random = SplitMix(seed: 9)
        for _ in 0..<5_000 {
            let time = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            #expect(Timestamp.milliseconds(parsing: Timestamp.text(millisecondsSince1970: time)) == time)
        }
    }

    @Test func `every day follows the one before`() {
        var previous = CivilDate(daysSince1970: -800_001)
        for days in -800_000...100_000 {
            let date = CivilDate(daysSince1970: days)
            let follows = date.day == previous.day + 1 || date.day == 1 && (28...31).contains(previous.day)
            guard follows, date.daysSince1970 == days else {
                Issue.record("day \(days)")
                return
            }
            previous = date
        }
    }
}
