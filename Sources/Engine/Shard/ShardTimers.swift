import Domain

/// When users want to be looked at again: a binary heap; one executor timer serves it.
struct ShardTimers {
    private struct Entry {
        let at: Instant
        let user: UserName
    }

    private var heap: [Entry] = []

    var next: Instant? { heap.first?.at }
    var count: Int { heap.count }

    mutating func add(_ user: UserName, at instant: Instant) {
        heap.append(Entry(at: instant, user: user))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].at < heap[parent].at else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the users due by now, at most so many.
    mutating func due(at now: Instant, limit: Int) -> [UserName] {
        var due: [UserName] = []
        while due.count < limit, let first = heap.first, first.at <= now {
            due.append(first.user)
            removeFirst()
        }
        return due
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].at < heap[least].at { least = child }
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
