/// Finds a key that an object has twice.
///
/// Few keys are compared with the earlier ones as they come, and mostly not even that: a set
/// of 64 bits over length and last byte says that a key is new. Many keys, or keys with
/// escapes, are sorted once at the end, so that no object makes the work quadratic.
struct JSONKeySet {
    static let fewKeys = 32

    private var seen: UInt64 = 0
    private var count = 0
    fileprivate private(set) var mustSort = false

    /// Takes a key by its entry; true if it may have been there before.
    @inline(__always)
    fileprivate mutating func mayHold(_ entry: JSONTape.Entry, lastByte: UInt8) -> Bool {
        count += 1
        if entry.flag || count > Self.fewKeys { mustSort = true }
        let bit: UInt64 = 1 << UInt64(((entry.end - entry.start) &* 7 ^ UInt32(lastByte)) & 63)
        let wasSeen = seen & bit != 0
        seen |= bit
        return wasSeen
    }
}

extension JSONScanner {
    /// Notes the key that was appended last to the object at a place on the tape.
    @inline(__always)
    mutating func note(_ keys: inout JSONKeySet, _ bytes: Span<UInt8>, object: Int) throws(JSONError) {
        let key = entries.count - 1
        let entry = entries[key]
        // The byte before the closing quote; of an empty key the opening one.
        guard keys.mayHold(entry, lastByte: bytes[index - 2]), !keys.mustSort else { return }
        var earlier = object + 1
        while earlier < key {
            if Self.equal(entries[earlier], entry, bytes) {
                throw JSONError("duplicate key", byteOffset: Int(entry.start))
            }
            earlier = Int(entries[earlier + 1].next)
        }
    }

    /// The object is complete, save for its closing bracket.
    func finish(_ keys: JSONKeySet, _ bytes: Span<UInt8>, object: Int) throws(JSONError) {
        guard keys.mustSort else { return }
        var decoded: [(text: [UInt8], offset: Int)] = []
        var key = object + 1
        while key < entries.count {
            let entry = entries[key]
            decoded.append((JSONEscaping.decode(bytes, entry), Int(entry.start)))
            key = Int(entries[key + 1].next)
        }
        decoded.sort {
            $0.text == $1.text ? $0.offset < $1.offset : $0.text.lexicographicallyPrecedes($1.text)
        }
        for (earlier, later) in zip(decoded, decoded.dropFirst()) where earlier.text == later.text {
            throw JSONError("duplicate key", byteOffset: later.offset)
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
