import Synchronization

/// Numbers that no two callers in this process share.
enum SerialNumber {
    private static let last = Atomic<Int>(0)

    static func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
