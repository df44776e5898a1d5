/// The requests of a shard that are under way, by their numbers.
///
/// Numbers grow, and most requests end soon: each has its place in one row that begins with the oldest.
struct FlightTable {
    /// From `start` on: the request `first`, and those with the numbers after it; nil: ended, or never made.
    private var row: [Flight?] = []
    private var start = 0
    private var first: UInt64 = 1
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(number: UInt64) -> Flight? { place(of: number).flatMap { row[$0] } }

    /// - Precondition: the number is above every one before.
    mutating func insert(_ flight: Flight, _ number: UInt64) {
        if isEmpty {
            row.removeAll(keepingCapacity: true)
            start = 0
            first = number
        }
        let next = first + UInt64(row.count - start)
        precondition(number >= next, "a request's number comes again")
        for _ in next..<number { row.append(nil) }
        row.append(flight)
        count += 1
    }

    mutating func remove(_ number: UInt64) -> Flight? {
        guard let place = place(of: number), let flight = row[place] else { return nil }
        row[place] = nil
        count -= 1
        while start < row.count, row[start] == nil {
            start += 1
            first += 1
        }
        if start > 1_024, start * 2 > row.count {
            row.removeFirst(start)
            start = 0
        }
        return flight
    }

    func filter(_ isMeant: (Flight) -> Bool) -> [UInt64: Flight] {
        var found: [UInt64: Flight] = [:]
        for place in start..<row.count {
            guard let flight = row[place], isMeant(flight) else { continue }
            found[first + UInt64(place - start)] = flight
        }
        return found
    }

    private func place(of number: UInt64) -> Int? {
        guard number >= first, number - first < UInt64(row.count - start) else { return nil }
        return start + Int(number - first)
    }
}
