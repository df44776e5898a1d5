import Synchronization

/// Bytes nobody can predict. Traps when the operating system has none, as nothing secure can go on without.
///
/// Small requests (nonces, ids) are cut from a pool shared by all threads: a call into the
/// generator costs more than a microsecond, whatever its size. What was handed out is wiped.
package enum SecureRandom {
    private static let pool = Mutex(RandomPool())

    package static func bytes(count: Int) -> [UInt8] {
        guard count <= RandomPool.maximumRequest else { return randomBytes(count: count) }
        return pool.withLock { $0.take(count) }
    }
}

private struct RandomPool {
    static let maximumRequest = 64
    private static let byteCount = 1024
    private var bytes: [UInt8] = []

    mutating func take(_ count: Int) -> [UInt8] {
        if bytes.count < count { bytes = randomBytes(count: Self.byteCount) }
        let taken = Array(bytes.suffix(count))
        for index in bytes.indices.suffix(count) { bytes[index] = 0 }
        bytes.removeLast(count)
        return taken
    }
}

/// Whether two secrets are equal, in a time that depends only on their lengths.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    equalInConstantTime(left.span, right.span)
}
