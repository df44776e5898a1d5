/// Reading of TZif (RFC 9636): the bytes of one file of the IANA database.
extension ZoneRules {
    /// Larger files are none of the database's.
    package static let largestFile = 65_536

    /// Nil: not a file of version 2 or later, cut short, or one that counts leap seconds, which no clock of a
    /// server does (`right/…`).
    package convenience init?(name: String, tzif bytes: [UInt8]) {
        guard bytes.count <= Self.largestFile else { return nil }
        var reader = TZifReader(rest: bytes[...])
        // The first block holds times of 32 bits, for old readers.
        guard let old = reader.header(), old.version >= UInt8(ascii: "2"),
            reader.skip(old.blockSize(timeSize: 4)), let header = reader.header(),
            let table = reader.table(header), let footer = reader.footer()
        else { return nil }
        var later: ZoneYear?
        if !footer.isEmpty {
            guard let rule = ZoneYear(posix: footer) else { return nil }
            later = rule
        }
        self.init(
            name: name, transitions: table.times, offsets: table.offsets, firstOffset: table.firstOffset,
            later: later)
    }
}

/// What the block of a file says.
private struct TZifTable {
    var times: [Int64]
    var offsets: [Int32]
    var firstOffset: Int32
}

private struct TZifHeader {
    let version: UInt8
    let utcIndicators: Int
    let standardIndicators: Int
    let leapSeconds: Int
    let times: Int
    let types: Int
    let characters: Int

    func blockSize(timeSize: Int) -> Int {
        times * (timeSize + 1) + types * 6 + characters + leapSeconds * (timeSize + 4) + standardIndicators
            + utcIndicators
    }
}

private struct TZifReader {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= rest.count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    mutating func header() -> TZifHeader? {
        guard rest.count >= 44, rest.starts(with: Array("TZif".utf8)) else { return nil }
        let version = rest[rest.startIndex + 4]
        rest = rest.dropFirst(20)
        let counts = (0..<6).map { _ in Int(truncatingIfNeeded: integer(4)) }
        // Whatever the counts say, they cannot be more than there is.
        guard counts.allSatisfy({ (0...ZoneRules.largestFile).contains($0) }) else { return nil }
        return TZifHeader(
            version: version, utcIndicators: counts[0], standardIndicators: counts[1],
            leapSeconds: counts[2], times: counts[3], types: counts[4], characters: counts[5])
    }

    mutating func table(_ header: TZifHeader) -> TZifTable? {
        guard header.leapSeconds == 0, header.types > 0, header.blockSize(timeSize: 8) <= rest.count else {
            return nil
        }
        let times = (0..<header.times).map { _ in integer(8) }
        let kinds = rest.prefix(header.times).map { Int($0) }
        rest = rest.dropFirst(header.times)
        let types = (0..<header.types).map { _ in
            let offset = Int32(truncatingIfNeeded: integer(4))
            rest = rest.dropFirst(2)
            return offset
        }
        rest = rest.dropFirst(header.characters + header.standardIndicators + header.utcIndicators)
        guard kinds.allSatisfy({ $0 < types.count }), zip(times, times.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        return TZifTable(times: times, offsets: kinds.map { types[$0] }, firstOffset: types[0])
    }

    /// The text between the last two line ends; empty: no rule for later years.
    mutating func footer() -> [UInt8]? {
        guard rest.first == 0x0A, rest.count >= 2, rest.last == 0x0A else { return nil }
        return Array(rest.dropFirst().dropLast())
    }

    /// Big-endian, with a sign. - Precondition: so many bytes are there.
    private mutating func integer(_ size: Int) -> Int64 {
        var value = Int64(Int8(bitPattern: rest[rest.startIndex]))
        for byte in rest.dropFirst().prefix(size - 1) { value = value << 8 | Int64(byte) }
        rest = rest.dropFirst(size)
        return value
    }
}
