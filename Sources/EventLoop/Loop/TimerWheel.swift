/// A timer that is armed; worthless, not dangerous, after it fired or was cancelled.
package struct TimerToken: Hashable, Sendable {
    fileprivate let index: Int32
    fileprivate let generation: UInt32
}

/// A hierarchical timer wheel over abstract ticks: arm and cancel in constant time, memory
/// reused, and the next tick worth waking for is known, so that an idle owner sleeps. Pure.
package struct TimerWheel<Payload> {
    private struct Entry {
        var payload: Payload?
        var due: UInt64 = 0
        var generation: UInt32 = 0
        var list: Int32 = -1
        var next: Int32 = -1
        var previous: Int32 = -1
    }

    private static var levels: Int { 5 }
    private static var dueList: Int { levels * 64 }
    private static var reach: UInt64 { 1 << UInt64(6 * levels) }

    private var entries: [Entry] = []
    private var firstFree: Int32 = -1
    private var heads = [Int32](repeating: -1, count: levels * 64 + 1)
    private var occupied = [UInt64](repeating: 0, count: levels)
    private(set) package var now: UInt64 = 0
    private(set) package var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// Due at the given tick, or at the next one if that has passed.
    package mutating func arm(at tick: UInt64, _ payload: Payload) -> TimerToken {
        let index = takeEntry()
        entries[Int(index)].payload = payload
        entries[Int(index)].due = max(tick, now + 1)
        place(index)
        count += 1
        return TimerToken(index: index, generation: entries[Int(index)].generation)
    }

    /// What was armed; nil if it fired or was cancelled already.
    @discardableResult
    package mutating func cancel(_ token: TimerToken) -> Payload? {
        guard token.index >= 0, Int(token.index) < entries.count,
            entries[Int(token.index)].generation == token.generation, entries[Int(token.index)].list >= 0
        else { return nil }
        unlink(token.index)
        return release(token.index)
    }

    /// The next tick at which `advance` has work; it may only be moving timers to a finer level.
    package var nextTick: UInt64? { heads[Self.dueList] >= 0 ? now : nextOccupiedTick }

    /// Moves time on; what became due is then taken with `popDue`, and can be cancelled until it is taken.
    package mutating func advance(to target: UInt64) {
        while let tick = nextOccupiedTick, tick <= target {
            now = tick
            for level in (0..<Self.levels).reversed() where tick & (1 << UInt64(6 * level) - 1) == 0 {
                scatter(level: level, slot: Int(tick >> UInt64(6 * level) & 63))
            }
        }
        now = max(now, target)
    }

    /// The next due payload in order of tick, then of arming.
    package mutating func popDue() -> Payload? {
        let index = heads[Self.dueList]
        guard index >= 0 else { return nil }
        unlink(index)
        return release(index)
    }

    private var nextOccupiedTick: UInt64? {
        var earliest: UInt64?
        for level in 0..<Self.levels where occupied[level] != 0 {
            let position = now >> UInt64(6 * level)
            let shift = (position + 1) & 63
            let bits = occupied[level]
            let turned = shift == 0 ? bits : bits >> shift | bits << (64 - shift)
            let tick = (position + 1 + UInt64(turned.trailingZeroBitCount)) << UInt64(6 * level)
            earliest = min(earliest ?? tick, tick)
        }
        return earliest
    }

    private mutating func scatter(level: Int, slot: Int) {
        let list = level * 64 + slot
        while heads[list] >= 0 {
            let index = heads[list]
            unlink(index)
            place(index)
        }
    }

    private mutating func place(_ index: Int32) {
        let due = entries[Int(index)].due
        guard due > now else { return append(index, to: Self.dueList) }
        let delta = min(due - now, Self.reach - 1)
        let level = (63 - delta.leadingZeroBitCount) / 6
        let slot = Int((now + delta) >> UInt64(6 * level) & 63)
        occupied[level] |= 1 << UInt64(slot)
        append(index, to: level * 64 + slot)
    }

    private mutating func append(_ index: Int32, to list: Int) {
        let head = heads[list]
        entries[Int(index)].list = Int32(list)
        guard head >= 0 else {
            heads[list] = index
            entries[Int(index)].next = index
            entries[Int(index)].previous = index
            return
        }
        let tail = entries[Int(head)].previous
        entries[Int(index)].next = head
        entries[Int(index)].previous = tail
        entries[Int(tail)].next = index
        entries[Int(head)].previous = index
    }

    private mutating func unlink(_ index: Int32) {
        let entry = entries[Int(index)]
        let list = Int(entry.list)
        if entry.next == index {
            heads[list] = -1
            if list < Self.dueList { occupied[list / 64] &= ~(1 << UInt64(list & 63)) }
        } else {
            entries[Int(entry.previous)].next = entry.next
            entries[Int(entry.next)].previous = entry.previous
            if heads[list] == index { heads[list] = entry.next }
        }
        entries[Int(index)].list = -1
    }

    private mutating func takeEntry() -> Int32 {
        guard firstFree >= 0 else {
            entries.append(Entry())
            return Int32(entries.count - 1)
        }
        let index = firstFree
        firstFree = entries[Int(index)].next
        return index
    }

    private mutating func release(_ index: Int32) -> Payload? {
        let payload = entries[Int(index)].payload
        entries[Int(index)].payload = nil
        entries[Int(index)].generation &+= 1
        entries[Int(index)].next = firstFree
        firstFree = index
        count -= 1
        return payload
    }
}
