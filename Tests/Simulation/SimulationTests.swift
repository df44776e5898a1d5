import Testing

/// Small worlds by the thousand, each watched for every rule of the contract.
///
/// A seed that fails is told with the few steps that are enough to fail.
@Suite struct SimulationTests {
    private static let threads = 2

    @Test func `whatever happens, every rule of the contract holds`() async {
        let search = SeedSearch(Seeds.all)
        let clock = ContinuousClock()
        let begun = clock.now
        await withTaskGroup { group in
            for _ in 0..<Self.threads {
                group.addTask { await BackgroundThread.run { search.search() } }
            }
        }
        let seconds = (clock.now - begun) / .seconds(1)
        let steps = search.count * UInt64(Run.steps)
        print("\(search.count) worlds, \(steps) steps, \(Int(Double(steps) / seconds)) steps a second")
        let failure = await BackgroundThread.run { search.failure }
        #expect(failure == nil)
    }

    @Test func `a seed makes the same world each time`() async {
        let parting = await BackgroundThread.run { Self.partings(of: 0..<24) }
        #expect(parting == [])
    }

    /// Where two runs of a seed begin to differ.
    private static func partings(of seeds: Range<UInt64>) -> [String] {
        seeds.compactMap { seed in
            let (first, second) = (Run(seed: seed).lines(), Run(seed: seed).lines())
            guard first != second else { return nil }
            let parting = zip(first, second).first { $0 != $1 }
            return "seed \(seed): \(parting?.0 ?? "") or \(parting?.1 ?? "")"
        }
    }
}
