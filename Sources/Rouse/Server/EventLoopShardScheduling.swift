import Domain
import Engine
import EventLoop
import Synchronization
import Wire

/// An event loop as the executor of one shard.
final class EventLoopShardScheduling: ShardScheduling {
    let loop: EventLoop
    private let alarm: LoopBound<Alarm>
    private let generator: Mutex<FastGenerator>

    init(_ loop: EventLoop) {
        self.loop = loop
        alarm = LoopBound(sending: Alarm(), to: loop)
        generator = Mutex(FastGenerator(seed: SecureRandom.bytes(count: 32)))
    }

    func post(_ work: @escaping @Sendable () -> Void) { loop.post(work) }

    func wake(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
        let alarm = alarm.value
        if let armed = alarm.timer { loop.timers.cancel(armed) }
        // The wheel counts from its own reading of the clock: what has passed already rings at its next tick.
        let delay = max(0, instant.milliseconds - MonotonicClock.nowMilliseconds())
        alarm.timer = loop.timers.arm(afterMilliseconds: Int(delay)) {
            alarm.timer = nil
            work()
        }
    }

    func now() -> Moment {
        Moment(
            instant: Instant(milliseconds: MonotonicClock.nowMilliseconds()),
            wall: WallTime(milliseconds: WallClock.now()))
    }

    func assertOnExecutor() { loop.assertOnLoop() }

    func random() -> UInt64 { generator.withLock { $0.next() } }
}

/// The one timer of a shard.
private final class Alarm {
    var timer: TimerToken?
}

/// xoshiro256**: fast and well spread, for ids and jitter, not for secrets.
struct FastGenerator: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// - Precondition: 32 bytes.
    init(seed: [UInt8]) {
        precondition(seed.count == 32)
        func word(_ at: Int) -> UInt64 { seed[at * 8..<at * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        // A state of zeros only would stay there.
        state = (word(0) | 1, word(1), word(2), word(3))
    }

    mutating func next() -> UInt64 {
        let result = rotated(state.1 &* 5, by: 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotated(state.3, by: 45)
        return result
    }

    private func rotated(_ value: UInt64, by bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
}
