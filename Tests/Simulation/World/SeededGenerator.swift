/// A small generator with a seed: the same seed gives the same world.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// `stream`: one of many sequences of a seed that have nothing to do with each other.
    init(seed: UInt64, stream: UInt64 = 0) {
        state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x1234_5678
        state = state ^ (stream &* 0xd1b5_4a32_d192_ed03)
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func below(_ limit: Int) -> Int {
        Int(truncatingIfNeeded: ((next() >> 32) &* UInt64(limit)) >> 32)
    }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func upTo(_ most: Int64) -> Int64 { Int64(below(Int(most) + 1)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
