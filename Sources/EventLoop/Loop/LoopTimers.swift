import Dispatch

/// All timers of a loop on one Dispatch timer, which sleeps while nothing is armed. Call on the loop only.
/// A timer fires at its time or up to one tick later, never early.
package final class LoopTimers {
    package static let tickMilliseconds = 4
    private static let tickNanoseconds = UInt64(tickMilliseconds) * 1_000_000

    private let queue: DispatchQueue
    private let source: any DispatchSourceTimer
    private let origin = MonotonicClock.now()
    private var wheel = TimerWheel<() -> Void>()
    private var wakeTick = UInt64.max

    init(queue: DispatchQueue) {
        self.queue = queue
        source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(deadline: .distantFuture)
        let me = LoopBound(unchecked: WeakTimers(self), queue: queue)
        source.setEventHandler { @Sendable in me.value.timers?.fire() }
        source.activate()
    }

    deinit { source.cancel() }

    /// How many are armed.
    package var count: Int {
        dispatchPrecondition(condition: .onQueue(queue))
        return wheel.count
    }

    /// Runs the action once on the loop. Keep the token to cancel; the action is held until then.
    @discardableResult
    package func arm(afterMilliseconds delay: Int, _ action: @escaping () -> Void) -> TimerToken {
        dispatchPrecondition(condition: .onQueue(queue))
        let now = MonotonicClock.now() - origin
        let due = now + UInt64(max(0, delay)) * 1_000_000
        if wheel.isEmpty { wheel.advance(to: now / Self.tickNanoseconds) }
        let token = wheel.arm(at: (due + Self.tickNanoseconds - 1) / Self.tickNanoseconds, action)
        sleepUntilNextTick()
        return token
    }

    /// After it the action does not run and is released; harmless when it ran already.
    package func cancel(_ token: TimerToken) {
        dispatchPrecondition(condition: .onQueue(queue))
        wheel.cancel(token)
    }

    private func fire() {
        wakeTick = .max
        wheel.advance(to: (MonotonicClock.now() - origin) / Self.tickNanoseconds)
        while let action = wheel.popDue() { action() }
        sleepUntilNextTick()
    }

    private func sleepUntilNextTick() {
        guard let tick = wheel.nextTick, tick < wakeTick else { return }
        wakeTick = tick
        let target = origin + tick * Self.tickNanoseconds
        let now = MonotonicClock.now()
        let wait = target > now ? target - now : 0
        source.schedule(deadline: .now() + .nanoseconds(Int(wait)), leeway: .milliseconds(1))
    }
}

private struct WeakTimers {
    weak let timers: LoopTimers?
    init(_ timers: LoopTimers) { self.timers = timers }
}
