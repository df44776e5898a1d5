import Domain
import Engine
import EventLoop
import Synchronization

/// An event loop as the executor of a shard.
final class LoopScheduling: ShardScheduling {
    let loop: EventLoop
    private let timer: LoopBound<Alarm>
    private let counter = Atomic<UInt64>(0x9E37_79B9_7F4A_7C15)

    private final class Alarm {
        var token: TimerToken?
    }

    init(_ loop: EventLoop) {
        self.loop = loop
        timer = LoopBound(sending: Alarm(), to: loop)
    }

    func post(_ work: @escaping @Sendable () -> Void) { loop.post(work) }

    func wake(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
        let alarm = timer.value
        if let token = alarm.token { loop.timers.cancel(token) }
        let delay = max(0, instant.milliseconds - MonotonicClock.nowMilliseconds())
        alarm.token = loop.timers.arm(afterMilliseconds: Int(delay)) {
            alarm.token = nil
            work()
        }
    }

    func now() -> Moment { Clock.now() }

    func assertOnExecutor() { loop.assertOnLoop() }

    func random() -> UInt64 {
        counter.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue &* 0xBF58_476D_1CE4_E5B9
    }
}

/// Both clocks of the machine.
enum Clock {
    static func now() -> Moment {
        Moment(
            instant: Instant(milliseconds: MonotonicClock.nowMilliseconds()),
            wall: WallTime(milliseconds: WallClock.now()))
    }
}
