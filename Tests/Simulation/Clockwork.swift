import Domain
import Engine

/// A small generator with a seed: the same seed gives the same world.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x1234_5678 }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}

/// Time and execution of a world: one thread, a list of what is to run, a clock that moves only when told.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class Clockwork: @unchecked Sendable {
    private struct Work {
        let at: Int64
        let order: Int
        let epoch: Int
        let run: () -> Void

        func isBefore(_ other: Work) -> Bool { (at, order) < (other.at, other.order) }
    }

    private(set) var now: Int64 = 1_000
    /// Descending, so that the next is the last.
    private var works: [Work] = []
    private var order = 0
    /// Work of an engine that has crashed is never run.
    var epoch = 0
    var generator: SeededGenerator
    let wallOffset: Int64 = 1_700_000_000_000

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    var moment: Moment {
        Moment(instant: Instant(milliseconds: now), wall: WallTime(milliseconds: wallOffset + now))
    }

    /// `epoch` nil: a part of the world outside of the engine's process.
    func schedule(after milliseconds: Int64, epoch: Int?, _ run: @escaping () -> Void) {
        order += 1
        let work = Work(at: now + milliseconds, order: order, epoch: epoch ?? -1, run: run)
        var (low, high) = (0, works.count)
        while low < high {
            let middle = (low + high) / 2
            if works[middle].isBefore(work) { high = middle } else { low = middle + 1 }
        }
        works.insert(work, at: low)
    }

    /// Runs everything that is due within so much time, in order of time.
    func advance(_ milliseconds: Int64) {
        let until = now + milliseconds
        while let next = works.last, next.at <= until {
            works.removeLast()
            now = max(now, next.at)
            if next.epoch == -1 || next.epoch == epoch { next.run() }
        }
        now = until
    }
}

/// A shard's executor in a world. `@unchecked Sendable`: as its clockwork.
final class SimulatedExecutor: ShardScheduling, @unchecked Sendable {
    private let clockwork: Clockwork
    private let epoch: Int
    private var timer = 0

    init(_ clockwork: Clockwork) {
        self.clockwork = clockwork
        epoch = clockwork.epoch
    }

    func post(_ work: @escaping @Sendable () -> Void) { clockwork.schedule(after: 0, epoch: epoch, work) }

    func wake(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
        timer += 1
        let armed = timer
        clockwork.schedule(after: max(0, instant.milliseconds - clockwork.now), epoch: epoch) { [self] in
            if armed == timer { work() }
        }
    }

    func now() -> Moment { clockwork.moment }
    func assertOnExecutor() {}
    func random() -> UInt64 { clockwork.generator.next() }
}
