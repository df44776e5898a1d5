import Synchronization

/// Answers of several shards, handed on together when the last has come.
final class Gathered<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let count: Int
    private let done: @Sendable ([Value]) -> Void

    init(_ count: Int, _ done: @escaping @Sendable ([Value]) -> Void) {
        self.count = count
        self.done = done
    }

    func add(_ value: Value) {
        let all = values.withLock { values -> [Value]? in
            values.append(value)
            return values.count == count ? values : nil
        }
        if let all { done(all) }
    }
}

/// One registration at a time for each token: two installations that claim one token are put in order.
final class KeyedLocks: Sendable {
    private let waiting = Mutex<[[UInt8]: [CheckedContinuation<Void, Never>]]>([:])

    func lock(_ keys: [[UInt8]]) async {
        // In one order for all, so that two callers never wait for each other.
        for key in Set(keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) { await lock(key) }
    }

    func unlock(_ keys: [[UInt8]]) {
        for key in Set(keys) {
            let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
                guard var line = waiting[key] else { return nil }
                guard !line.isEmpty else {
                    waiting[key] = nil
                    return nil
                }
                let next = line.removeFirst()
                waiting[key] = line
                return next
            }
            next?.resume()
        }
    }

    private func lock(_ key: [UInt8]) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting -> Bool in
                if waiting[key] == nil {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }
}
