/// Bytes nobody can predict. Traps when the operating system has none, as nothing secure can go on without.
package enum SecureRandom {
    package static func bytes(count: Int) -> [UInt8] { randomBytes(count: count) }
}

/// Whether two secrets are equal, in a time that depends only on their lengths.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    equalInConstantTime(left.span, right.span)
}
