import Foundation
import Synchronization

/// The seeds of a run of tests: `ROUSE_SEED=4711` one, `ROUSE_SEEDS=100000` so many from 0.
enum Seeds {
    static let usual: UInt64 = 2_000
    /// `ROUSE_SHRINK=0`: a failing seed is told as it is.
    static let shrinks = ProcessInfo.processInfo.environment["ROUSE_SHRINK"] != "0"

    static let all: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["ROUSE_SEED"].flatMap({ UInt64($0) }) { return one..<one + 1 }
        return 0..<(environment["ROUSE_SEEDS"].flatMap { UInt64($0) } ?? usual)
    }()
}

/// Worlds of many seeds on several threads, each of which takes the next seed; the lowest that fails is told.
final class SeedSearch: Sendable {
    private let next: Atomic<UInt64>
    private let end: Atomic<UInt64>
    private let found = Mutex<(run: Run, violation: Violation)?>(nil)
    let seeds: Range<UInt64>

    init(_ seeds: Range<UInt64>) {
        self.seeds = seeds
        next = Atomic(seeds.lowerBound)
        end = Atomic(seeds.upperBound)
    }

    /// One thread's part.
    func search() {
        while true {
            let seed = next.add(1, ordering: .relaxed).oldValue
            guard seed < end.load(ordering: .relaxed) else { return }
            let run = Run(seed: seed)
            if let violation = run.violation() { failed(run, violation) }
        }
    }

    /// Seeds above it need not be tried; those below are under way or done.
    private func failed(_ run: Run, _ violation: Violation) {
        found.withLock { found in
            if found.map({ $0.run.seed < run.seed }) ?? false { return }
            found = (run, violation)
            end.store(run.seed, ordering: .relaxed)
        }
    }

    var failure: Failure? { found.withLock { $0 }.map { Failure($0.run, $0.violation) } }

    /// Seeds that were tried.
    var count: UInt64 { min(next.load(ordering: .relaxed), seeds.upperBound) - seeds.lowerBound }
}
