/// Finds a key that an object has twice.
///
/// Few keys are compared with the earlier ones as they come, and mostly not even that: a set of 64 bits over
/// length and last byte says that a key is new. Many keys, or keys with escapes, are sorted once at the end, so
/// that no object makes the work quadratic.
struct JSONKeySet {
    private static let fewKeys = 32

    private var seen: UInt64 = 0
    private var first: Int?
    private var count = 0
    private var mustSort = false

    /// Takes the key at a place on the tape.
    mutating func insert(
        _ key: Int, _ entries: [JSONTape.Entry], _ bytes: Span<UInt8>
    ) throws(JSONError) {
        count += 1
        if first == nil { first = key }
        let entry = entries[key]
        if entry.flag || count > Self.fewKeys { mustSort = true }
        guard !mustSort else { return }
        let length = entry.end - entry.start
        let bit = UInt64(1) << UInt64((length &* 7 ^ UInt32(bytes[Int(entry.end) - 2])) & 63)
        defer { seen |= bit }
        guard seen & bit != 0 else { return }
        try compare(key, entries, bytes)
    }

    /// The object is complete, save for its closing bracket.
    func finish(_ entries: [JSONTape.Entry], _ bytes: Span<UInt8>, object: Int) throws(JSONError) {
        guard mustSort else { return }
        var decoded: [(text: [UInt8], offset: Int)] = []
        var index = object + 1
        while index < entries.count {
            let entry = entries[index]
            decoded.append((JSONEscaping.decode(bytes, entry), Int(entry.start)))
            index = Int(entries[index + 1].next)
        }
        decoded.sort {
            $0.text == $1.text ? $0.offset < $1.offset : $0.text.lexicographicallyPrecedes($1.text)
        }
        for (earlier, later) in zip(decoded, decoded.dropFirst()) where earlier.text == later.text {
            throw JSONError("duplicate key", byteOffset: later.offset)
        }
    }

    private func compare(
        _ key: Int, _ entries: [JSONTape.Entry], _ bytes: Span<UInt8>
    ) throws(JSONError) {
        let entry = entries[key]
        var index = first ?? key
        while index < key {
            if Self.equal(entries[index], entry, bytes) {
                throw JSONError("duplicate key", byteOffset: Int(entry.start))
            }
            index = Int(entries[index + 1].next)
        }
    }

    private static func equal(
        _ one: JSONTape.Entry, _ other: JSONTape.Entry, _ bytes: Span<UInt8>
    ) -> Bool {
        let length = Int(one.end - one.start)
        guard length == Int(other.end - other.start) else { return false }
        for offset in 0..<length
        where bytes[Int(one.start) + offset] != bytes[Int(other.start) + offset] { return false }
        return true
    }
}
