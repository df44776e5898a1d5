import Domain
import Engine

/// A request on its way through a sender.
struct PendingPush {
    let request: PushRequest
    /// It was refused unprocessed once and sent again.
    var isResent = false
}

/// A request that is with the provider.
struct Flight {
    let push: PendingPush
    /// Which credential it was sent with: an answer to an older one says nothing about the present.
    let generation: Int
}

/// The requests that are with the provider, by the tag their connection knows them by.
struct FlightTable {
    private var slots: [Flight?] = []
    private var free: [Int] = []

    var count: Int { slots.count - free.count }

    mutating func insert(_ flight: Flight) -> Int {
        if let slot = free.popLast() {
            slots[slot] = flight
            return slot
        }
        slots.append(flight)
        return slots.count - 1
    }

    mutating func remove(_ tag: Int) -> Flight? {
        guard slots.indices.contains(tag), let flight = slots[tag] else { return nil }
        slots[tag] = nil
        free.append(tag)
        return flight
    }
}

/// First in, first out; calls and what was refused go to the front.
struct PushQueue {
    private var items: [PendingPush] = []
    private var start = 0

    var count: Int { items.count - start }
    var isEmpty: Bool { count == 0 }
    var first: PendingPush? { isEmpty ? nil : items[start] }

    mutating func append(_ requests: ArraySlice<PushRequest>) {
        for request in requests {
            let push = PendingPush(request: request)
            if request.draft.callID != nil { putBack(push) } else { items.append(push) }
        }
    }

    mutating func putBack(_ push: PendingPush) {
        if start > 0 {
            start -= 1
            items[start] = push
        } else {
            items.insert(push, at: 0)
        }
    }

    mutating func removeFirst() {
        start += 1
        guard start >= 256, start * 2 >= items.count else { return }
        items.removeFirst(start)
        start = 0
    }

    mutating func removeAll() -> ArraySlice<PendingPush> {
        defer {
            items = []
            start = 0
        }
        return items[start...]
    }
}
