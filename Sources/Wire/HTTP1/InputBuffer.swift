/// Bytes off the wire, consumed from the front; room is given back once much of it is spent.
struct InputBuffer: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The index of the first byte not consumed.
    private(set) var position = 0

    /// Room kept when the buffer runs empty; an idle connection should not hold a large message's room.
    private let idleCapacity: Int

    init(idleCapacity: Int = 4_096) { self.idleCapacity = idleCapacity }

    var count: Int { bytes.count - position }
    var isEmpty: Bool { position == bytes.count }

    mutating func append(_ more: ArraySlice<UInt8>) {
        if position > 0, position >= bytes.count / 2 {
            bytes.removeFirst(position)
            position = 0
        }
        bytes.append(contentsOf: more)
    }

    mutating func consume(_ length: Int) {
        position += length
        guard position == bytes.count else { return }
        bytes.removeAll(keepingCapacity: bytes.capacity <= idleCapacity)
        position = 0
    }

    /// Copies out and consumes.
    mutating func take(_ length: Int) -> [UInt8] {
        let taken = Array(bytes[position..<position + length])
        consume(length)
        return taken
    }

    mutating func takeAll() -> [UInt8] { take(count) }
}
