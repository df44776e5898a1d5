import Domain
import Engine

/// Time and execution of a world: one thread, a list of what is to run, and two clocks that move only when
/// told: the boot-time clock, and a wall clock that may jump.
///
/// `@unchecked Sendable`: a world never leaves the thread of its test.
final class Clockwork: @unchecked Sendable {
    private struct Work {
        let at: Int64
        let order: Int
        let epoch: Int
        let run: () -> Void

        func isBefore(_ other: Work) -> Bool { at != other.at ? at < other.at : order < other.order }
    }

    /// Part of the world outside of the server's process.
    private static let noEpoch = -1

    private(set) var now: Int64 = 1_000
    /// Descending, so that the next is the last.
    private var works: [Work] = []
    private var order = 0
    /// Counts the server's processes: work of one that has died is never run.
    var epoch = 0
    /// Chance outside of the steps: how long things take, and what fails by itself.
    var generator: SeededGenerator
    private(set) var wallOffset: Int64 = 1_780_000_000_000
    /// Offsets of before, with the end of their time.
    private var formerOffsets: [(until: Int64, offset: Int64)] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    var moment: Moment {
        Moment(instant: Instant(milliseconds: now), wall: wall)
    }

    var wall: WallTime { WallTime(milliseconds: wallOffset + now) }

    /// Somebody sets the wall clock.
    func jumpWall(by milliseconds: Int64) {
        formerOffsets.append((until: now, offset: wallOffset))
        wallOffset += milliseconds
    }

    /// When the wall clock showed a time that is a few milliseconds old at most.
    func instant(ofLately time: WallTime) -> Int64 {
        let offsets = [wallOffset] + formerOffsets.reversed().map(\.offset)
        let likely = offsets.first { (now - 100...now).contains(time.milliseconds - $0) }
        return time.milliseconds - (likely ?? wallOffset)
    }

    /// `epoch` nil: a part of the world outside of the server's process.
    func schedule(after milliseconds: Int64, epoch: Int?, _ run: @escaping () -> Void) {
        order += 1
        let work = Work(at: now + milliseconds, order: order, epoch: epoch ?? Self.noEpoch, run: run)
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
            if next.epoch == Self.noEpoch || next.epoch == epoch { next.run() }
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
