import Wire

/// The operator's token: only its hash is kept, and compared in constant time.
package struct AdminToken: Sendable {
    private let hash: [UInt8]

    /// - Precondition: not empty.
    package init(_ token: [UInt8]) {
        precondition(!token.isEmpty, "an empty admin token would let everyone in")
        hash = SHA256.hash(token)
    }

    package func isEqual(to candidate: some Collection<UInt8>) -> Bool {
        constantTimeEqual(hash, SHA256.hash(Array(candidate)))
    }
}
