import Domain
import Synchronization
import Testing

@testable import Engine

@Suite struct TimeZonesTests {
    /// A file of a zone without changes, an hour ahead.
    private static let file: [UInt8] = {
        let empty = Array("TZif2".utf8) + Array(repeating: 0, count: 39)
        let header = Array("TZif2".utf8) + Array(repeating: 0, count: 31) + [0, 0, 0, 1, 0, 0, 0, 4]
        return empty + header + [0, 0, 0x0e, 0x10, 0, 0] + Array("ABC\u{0}\nABC-1\n".utf8)
    }()

    @Test func `a zone is read once, an unknown name each time`() {
        let asked = Mutex<[String]>([])
        let zones = TimeZones { name in
            asked.withLock { $0.append(name) }
            return name == "Zone/Known" ? Self.file : nil
        }
        for _ in 0..<2 {
            #expect(zones["Zone/Known"]?.minuteOfDay(at: WallTime(milliseconds: 0)) == 60)
            #expect(zones["Zone/Unknown"] == nil)
        }
        #expect(asked.withLock { $0 } == ["Zone/Known", "Zone/Unknown", "Zone/Unknown"])
    }

    @Test func `no file is asked for by a name that is none, nor for UTC`() {
        let zones = TimeZones { name in
            Issue.record("asked for \(name)")
            return nil
        }
        #expect(zones["../etc/passwd"] == nil)
        #expect(zones["UTC"] == .utc)
    }

    @Test func `what is kept is bounded`() {
        let zones = TimeZones { _ in Self.file }
        for number in 0..<3 * TimeZones.cached { #expect(zones["Zone/N\(number)"] != nil) }
        #expect(zones.cachedCount <= TimeZones.cached)
    }
}
