/// A failing run made small: steps are left out as long as the same rule stays broken.
///
/// A step's chance is its own, so that those which remain do what they did.
struct Shrinking {
    let sentence: String
    private(set) var smallest: Run
    private var triesLeft = 600

    init(_ run: Run, _ violation: Violation) {
        sentence = violation.sentence
        smallest = run
        keepWhatComesBefore()
        var size = smallest.steps.count / 2
        while size >= 1 {
            leaveOut(inPiecesOf: size)
            size /= 2
        }
    }

    /// The fewest first steps that fail.
    private mutating func keepWhatComesBefore() {
        for count in 1...smallest.steps.count where isBroken(Array(smallest.steps.prefix(count))) {
            smallest.steps = Array(smallest.steps.prefix(count))
            return
        }
    }

    private mutating func leaveOut(inPiecesOf size: Int) {
        var end = smallest.steps.count
        while end > 0 {
            var fewer = smallest.steps
            fewer.removeSubrange(max(0, end - size)..<end)
            if isBroken(fewer) { smallest.steps = fewer }
            end -= size
        }
    }

    private mutating func isBroken(_ steps: [Int]) -> Bool {
        guard triesLeft > 0 else { return false }
        triesLeft -= 1
        return Run(seed: smallest.seed, steps: steps).violation()?.sentence == sentence
    }
}
