import Foundation
import Testing

/// Ten thousand schedules of small worlds, a third of them
/// without faults, where every deadline is checked too.
///
/// A seed that fails is named, and replays alone: `ROUSE_SEED=1234 swift test --filter Simulation`.
@Suite struct SimulationTests {
    static let schedules: UInt64 = 10_000
    /// Each on a thread of its own.
    static let slices: UInt64 = 2
    static let steps = 40

    /// The seeds of this run; one, if it is replayed.
    static let seeds: Range<UInt64> = {
        let replayed = ProcessInfo.processInfo.environment["ROUSE_SEED"].flatMap { UInt64($0) }
        return replayed.map { $0..<$0 + 1 } ?? 0..<schedules
    }()

    @Test(arguments: 0..<slices)
    func `no duty is lost and none is done twice, whatever fails`(slice: UInt64) async {
        let failure = await BackgroundThread.run { Self.firstFailure(of: slice) }
        #expect(failure == nil)
    }

    private static func firstFailure(of slice: UInt64) -> String? {
        for seed in seeds where seed % slices == slice {
            let violations = violations(seed: seed)
            if !violations.isEmpty { return "seed \(seed): \(violations)" }
        }
        return nil
    }

    static func violations(seed: UInt64) -> [String] {
        let faults: [Faults] = [.none, .crashesOnly, .all, .all]
        let kind = Int(seed % 4)
        let world = World(seed: seed, faults: faults[kind])
        for _ in 0..<steps {
            world.step()
            if !world.violations.isEmpty { return world.violations }
        }
        world.heal()
        world.checkSettled()
        // Where only processes die, every push still leaves when PD-1 says: a crash is a close.
        if kind < 2 { world.checkDeadlines() }
        return world.violations
    }
}
