/// One run of one seed's world: all its steps, or those that are enough to show what is wrong.
struct Run: Sendable {
    static let steps = 60

    let seed: UInt64
    /// Ascending.
    var steps = Array(0..<Run.steps)

    /// The first thing that does not hold; nil: all did.
    func violation(_ journal: Journal = Journal(isKept: false)) -> Violation? {
        let world = World(seed: seed, journal: journal)
        for step in steps {
            world.step(step)
            if let violation = world.violation { return violation }
        }
        world.heal()
        return world.violation
    }

    /// The same, in words.
    func lines() -> [String] {
        let journal = Journal(isKept: true)
        _ = violation(journal)
        return journal.lines
    }
}
