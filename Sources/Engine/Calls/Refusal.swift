/// Why a call changed nothing, or may not have changed anything.
package enum Refusal: Error, Equatable, Sendable {
    /// The database is away: the outcome is unknown, a repeat is safe. 503.
    case unavailable
    /// This process does not own the lease. 503.
    case standby
    /// A shard's inbox is full. 429.
    case overloaded
    /// A seq above the head was named. 422.
    case seqBeyondHead
    case noSuchMessage
    case noSuchCall
    /// The call id is known with another caller. 409.
    case callConflict
    /// The device's credential was issued before the device was logged out remotely. 401.
    case credentialRevoked
    /// The message id is known with another conversation or sender. 409.
    case conflict
    /// A defect; the text holds no value of a row. 500.
    case failed(String)
}

package typealias Reply<Value> = @Sendable (Result<Value, Refusal>) -> Void
