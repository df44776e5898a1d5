package import Engine

extension TimeZones {
    /// `Asia/Shanghai`, `Asia/Kolkata`, `Asia/Tokyo` and UTC, whatever the machine has.
    package static let test = TimeZones { name in
        switch name {
        case "Asia/Shanghai": file(secondsEast: 28_800, rule: "CST-8")
        case "Asia/Kolkata": file(secondsEast: 19_800, rule: "IST-5:30")
        case "Asia/Tokyo": file(secondsEast: 32_400, rule: "JST-9")
        default: nil
        }
    }

    /// A file of the database for a zone whose clocks never change.
    private static func file(secondsEast: Int32, rule: String) -> [UInt8] {
        let old = Array("TZif2".utf8) + Array(repeating: 0, count: 39)
        let new = Array("TZif2".utf8) + Array(repeating: 0, count: 31) + [0, 0, 0, 1, 0, 0, 0, 4]
        let offset = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: secondsEast >> Int32($0)) }
        return old + new + offset + [0, 0] + Array("ABC\u{0}\n\(rule)\n".utf8)
    }
}
