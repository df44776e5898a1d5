import Domain
import Engine

/// Zones of a world: each a whole number of minutes from UTC, all year.
enum FixedZones {
    static let minutes: [String: Int64] = ["UTC": 0, "East/Far": 345, "West/Far": -570]
    static let names = minutes.keys.sorted()

    static let all = TimeZones { name in minutes[name].map { file(offset: Int32($0) * 60) } }

    /// The least that a file of the IANA database holds: one type, no transition, in both blocks.
    private static func file(offset: Int32) -> [UInt8] {
        let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts
        let type = bytes(UInt32(bitPattern: offset)) + [0, 0] + Array("LMT\0".utf8)
        return header + type + header + type + Array("\n\n".utf8)
    }

    /// Indicators, leap seconds, transitions: none; one type, four characters.
    private static let counts = [0, 0, 0, 0, 1, 4].flatMap { bytes(UInt32($0)) }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// What a clock on the wall there shows, in minutes since midnight.
    static func minuteOfDay(at time: WallTime, zone: String) -> Int64 {
        let local = time.milliseconds / 60_000 + (minutes[zone] ?? 0)
        return (local % 1_440 + 1_440) % 1_440
    }
}
