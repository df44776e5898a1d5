import EventLoop
import Testing

struct TimerWheelTests {
    /// Small and repeatable (xorshift).
    struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    @Test func `a timer is due at its tick and not before`() {
        for delay: UInt64 in [
            1, 2, 63, 64, 65, 127, 128, 4_095, 4_096, 4_097, 262_143, 262_144, 300_000, 1 << 30, 1 << 31,
        ] {
            for start: UInt64 in [0, 1, 63, 64, 4_000] {
                var wheel = TimerWheel<String>()
                wheel.advance(to: start)
                _ = wheel.arm(at: start + delay, "due")
                wheel.advance(to: start + delay - 1)
                #expect(wheel.popDue() == nil, "delay \(delay) from \(start)")
                wheel.advance(to: start + delay)
                #expect(wheel.popDue() == "due", "delay \(delay) from \(start)")
                #expect(wheel.isEmpty)
                #expect(wheel.nextTick == nil)
            }
        }
    }

    @Test func `timers of one tick fire in the order in which they were armed`() {
        var wheel = TimerWheel<Int>()
        for number in 0..<5 { _ = wheel.arm(at: 70, number) }
        wheel.advance(to: 100)
        #expect((0..<5).map { _ in wheel.popDue() } == [0, 1, 2, 3, 4])
    }

    @Test func `a cancelled timer never fires and its token is worthless`() {
        var wheel = TimerWheel<Int>()
        let first = wheel.arm(at: 5, 1)
        #expect(wheel.cancel(first) == 1)
        #expect(wheel.cancel(first) == nil)
        let second = wheel.arm(at: 5, 2)
        #expect(wheel.cancel(first) == nil)
        wheel.advance(to: 10)
        #expect(wheel.popDue() == 2)
        #expect(wheel.cancel(second) == nil)
    }

    @Test func `a timer that is due but not taken can still be cancelled`() {
        var wheel = TimerWheel<Int>()
        _ = wheel.arm(at: 5, 1)
        let second = wheel.arm(at: 5, 2)
        wheel.advance(to: 5)
        #expect(wheel.popDue() == 1)
        #expect(wheel.cancel(second) == 2)
        #expect(wheel.popDue() == nil)
    }

    @Test func `the wheel agrees with a sorted list`() {
        for seed in 1...20 {
            var dice = Dice(state: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15)
            var wheel = TimerWheel<Int>()
            var expected: [(due: UInt64, id: Int, token: TimerToken)] = []
            var fired: [UInt64] = []
            for id in 0..<2_000 {
                let due = wheel.now + 1 + dice.next() % [4, 100, 5_000, 400_000].randomElement(using: &dice)!
                expected.append((due, id, wheel.arm(at: due, id)))
                if id % 3 == 0 {
                    let victim = Int.random(in: 0..<expected.count, using: &dice)
                    #expect(wheel.cancel(expected.remove(at: victim).token) != nil)
                }
                if id % 5 == 0 {
                    let target = wheel.now + dice.next() % 3_000
                    wheel.advance(to: target)
                    let due = expected.filter { $0.due <= target }.sorted {
                        ($0.due, $0.id) < ($1.due, $1.id)
                    }
                    expected.removeAll { $0.due <= target }
                    var got: [Int] = []
                    while let id = wheel.popDue() { got.append(id) }
                    #expect(got == due.map(\.id), "seed \(seed)")
                    fired += due.map(\.due)
                }
                #expect(wheel.count == expected.count)
            }
            #expect(fired == fired.sorted())
        }
    }

    @Test func `the next tick is never later than the earliest timer`() {
        var dice = Dice(state: 7)
        var wheel = TimerWheel<UInt64>()
        for _ in 0..<500 {
            let due = wheel.now + 1 + dice.next() % 100_000
            _ = wheel.arm(at: due, due)
        }
        while let tick = wheel.nextTick {
            wheel.advance(to: tick)
            while let due = wheel.popDue() { #expect(due == tick) }
        }
        #expect(wheel.isEmpty)
    }
}
