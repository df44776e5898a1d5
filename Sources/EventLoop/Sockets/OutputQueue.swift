/// Bytes waiting for the kernel: a first chunk with an offset, and a ring of further chunks. Nothing is
/// moved when bytes leave, small pieces are gathered, and an empty queue holds no memory. Pure.
package struct OutputQueue {
    /// Pieces are gathered up to this size; larger ones stay as they are, uncopied.
    package static let gatherBytes = 16_384

    private(set) package var first: [UInt8] = []
    /// Where the unsent part of `first` begins.
    private(set) package var offset = 0
    private var rest: [[UInt8]] = []
    private var restStart = 0
    private(set) package var queuedOffset: UInt64 = 0
    private(set) package var sentOffset: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { queuedOffset == sentOffset }

    package mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        queuedOffset += UInt64(bytes.count)
        if first.isEmpty {
            first = bytes
        } else if restStart == rest.count {
            if first.count + bytes.count <= Self.gatherBytes { first += bytes } else { rest.append(bytes) }
        } else if rest[rest.count - 1].count + bytes.count <= Self.gatherBytes {
            rest[rest.count - 1] += bytes
        } else {
            rest.append(bytes)
        }
    }

    /// The kernel took this many of the bytes of `first`.
    package mutating func consume(_ count: Int) {
        precondition(count <= first.count - offset)
        sentOffset += UInt64(count)
        offset += count
        guard offset == first.count else { return }
        offset = 0
        guard restStart < rest.count else {
            first = []
            rest = []
            restStart = 0
            return
        }
        first = rest[restStart]
        rest[restStart] = []
        restStart += 1
        if restStart >= 32, restStart * 2 >= rest.count {
            rest.removeFirst(restStart)
            restStart = 0
        }
    }

    /// Forgets what is unsent; the offsets stay as they are.
    package mutating func drop() {
        first = []
        offset = 0
        rest = []
        restStart = 0
    }
}
