import EventLoop
import Testing

struct EventLoopTests {
    actor Counter {
        private let loop: EventLoop
        private var count = 0
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        init(on loop: EventLoop) { self.loop = loop }
        func increment() -> Int {
            loop.assertOnLoop()
            count += 1
            return count
        }
        nonisolated func incrementFromLoop() -> Int { assumeIsolated { $0.increment() } }
    }

    @Test func `work is run in the order in which it was posted`() async {
        let loop = EventLoop(label: "order")
        let box = loop.sync { LoopBound(Log(), on: loop) }
        for number in 0..<100 { loop.post { box.value.numbers.append(number) } }
        #expect(loop.sync { box.value.numbers } == Array(0..<100))
    }

    final class Log { var numbers: [Int] = [] }

    @Test func `a loop knows its own thread`() {
        let (one, two) = (EventLoop(label: "one"), EventLoop(label: "two"))
        #expect(!one.isOnLoop)
        #expect(one.sync { one.isOnLoop && !two.isOnLoop })
    }

    @Test func `an actor lives on the loop, for tasks and for posted work alike`() async {
        let loop = EventLoop(label: "actor")
        let counter = Counter(on: loop)
        #expect(await counter.increment() == 1)
        #expect(loop.sync { counter.incrementFromLoop() } == 2)
    }

    @Test func `a group hands its loops out in turn`() {
        let group = EventLoopGroup(count: 2)
        let (first, second, third) = (group.next(), group.next(), group.next())
        #expect(first === third && first !== second)
    }

    @Test func `timers fire in order and leave nothing behind`() async {
        let loop = EventLoop(label: "timers")
        let delays = [24, 8, 16, 0]
        let (armed, fired) = await withCheckedContinuation { done in
            loop.post {
                let log = Log()
                var armed: [Int64] = []
                for index in delays.indices {
                    armed.append(MonotonicClock.nowMilliseconds())
                    loop.timers.arm(afterMilliseconds: delays[index]) { log.numbers.append(index) }
                }
                armed.append(MonotonicClock.nowMilliseconds())
                loop.timers.cancel(loop.timers.arm(afterMilliseconds: 4) { log.numbers.append(-1) })
                loop.timers.arm(afterMilliseconds: 32) { [armed] in
                    done.resume(returning: (armed, log.numbers))
                }
            }
        }
        #expect(fired.sorted() == [0, 1, 2, 3])
        // On a slow machine they are armed one after the other: a timer's time lies between two looks at the
        // clock. None fires before another whose time is certain to be earlier.
        for (earlier, later) in zip(fired, fired.dropFirst()) {
            let latest = armed[later + 1] + 1 + Int64(delays[later])
            #expect(armed[earlier] + Int64(delays[earlier]) <= latest + Int64(LoopTimers.tickMilliseconds))
        }
        #expect(loop.sync { loop.timers.count } == 0)
    }

    @Test func `a timer never fires early`() async {
        let loop = EventLoop(label: "timers")
        for delay in [1, 5, 9] {
            let elapsed = await withCheckedContinuation { done in
                loop.post {
                    let start = MonotonicClock.now()
                    loop.timers.arm(afterMilliseconds: delay) {
                        done.resume(returning: MonotonicClock.now() - start)
                    }
                }
            }
            #expect(elapsed >= UInt64(delay) * 1_000_000)
        }
    }
}
