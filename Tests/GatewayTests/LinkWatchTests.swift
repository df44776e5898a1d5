import Domain
import Testing

@testable import Gateway

@Suite("What a connection is looked at for")
struct LinkWatchTests {
    private static let interval: Int64 = 30_000

    private func moment(_ milliseconds: Int64, wall: Int64? = nil) -> Moment {
        Moment(
            instant: Instant(milliseconds: milliseconds), wall: WallTime(milliseconds: wall ?? milliseconds))
    }

    private func ring(_ watch: inout LinkWatch, at milliseconds: Int64, wall: Int64? = nil)
        -> LinkWatch.Verdict
    {
        watch.ring(at: moment(milliseconds, wall: wall), pingEvery: Self.interval)
    }

    @Test func `AUTH must come within five seconds`() {
        var watch = LinkWatch(at: Instant(milliseconds: 0), authenticationWithin: 5_000)
        #expect(watch.milliseconds(from: moment(0), pingEvery: Self.interval) == 5_000)
        #expect(ring(&watch, at: 4_999) == .goOn)
        watch.heard(at: Instant(milliseconds: 4_999))
        #expect(ring(&watch, at: 5_000) == .unauthenticated)
    }

    @Test func `a silent connection is pinged after 30 s and given up after two misses`() {
        var watch = LinkWatch(at: Instant(milliseconds: 0), authenticationWithin: 5_000)
        watch.authenticated(until: WallTime(milliseconds: 1_000_000))
        #expect(ring(&watch, at: 29_999) == .goOn)
        #expect(ring(&watch, at: 30_000) == .ping)
        #expect(ring(&watch, at: 59_999) == .goOn)
        #expect(ring(&watch, at: 60_000) == .ping)
        #expect(ring(&watch, at: 89_999) == .goOn)
        #expect(ring(&watch, at: 90_000) == .unheard)
    }

    @Test func `a word in between begins the count anew`() {
        var watch = LinkWatch(at: Instant(milliseconds: 0), authenticationWithin: 5_000)
        watch.authenticated(until: WallTime(milliseconds: 1_000_000))
        #expect(ring(&watch, at: 30_000) == .ping)
        #expect(ring(&watch, at: 60_000) == .ping)
        watch.heard(at: Instant(milliseconds: 89_000))
        #expect(ring(&watch, at: 90_000) == .goOn)
        #expect(watch.milliseconds(from: moment(90_000), pingEvery: Self.interval) == 29_000)
        #expect(ring(&watch, at: 119_000) == .ping)
    }

    @Test func `a process that was stopped for an hour asks before it gives anybody up`() {
        var watch = LinkWatch(at: Instant(milliseconds: 0), authenticationWithin: 5_000)
        watch.authenticated(until: WallTime(milliseconds: 100_000_000))
        #expect(ring(&watch, at: 3_600_000) == .ping)
        #expect(ring(&watch, at: 3_600_001) == .goOn)
        #expect(watch.milliseconds(from: moment(3_600_000), pingEvery: Self.interval) == 30_000)
    }

    @Test func `a credential ends by the wall clock, also when that is set`() {
        var watch = LinkWatch(at: Instant(milliseconds: 0), authenticationWithin: 5_000)
        watch.authenticated(until: WallTime(milliseconds: 20_000))
        #expect(watch.milliseconds(from: moment(0), pingEvery: Self.interval) == 20_000)
        #expect(ring(&watch, at: 20_000, wall: 19_000) == .goOn)
        #expect(watch.milliseconds(from: moment(20_000, wall: 19_000), pingEvery: Self.interval) == 1_000)
        #expect(ring(&watch, at: 20_001, wall: 20_000) == .credentialExpired)
    }

    @Test func `a renewal replaces the end, to later and to earlier`() {
        var watch = LinkWatch(at: Instant(milliseconds: 0), authenticationWithin: 5_000)
        watch.authenticated(until: WallTime(milliseconds: 10_000))
        watch.authenticated(until: WallTime(milliseconds: 20_000))
        #expect(ring(&watch, at: 10_000) == .goOn)
        watch.authenticated(until: WallTime(milliseconds: 12_000))
        #expect(watch.milliseconds(from: moment(10_000), pingEvery: Self.interval) == 2_000)
        #expect(ring(&watch, at: 12_000) == .credentialExpired)
    }
}
