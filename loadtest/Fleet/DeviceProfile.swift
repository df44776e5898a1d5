/// Who a device of a fleet is, and how it behaves until told otherwise.
struct DeviceProfile: Sendable {
    /// When a device acknowledges what it has received.
    enum Applying: Equatable, Sendable {
        /// With the bytes that brought it: one APPLIED for all entries read together.
        case atOnce
        /// Only when told to.
        case never
        /// So long after the first entry that is not acknowledged, all that came until then.
        case after(milliseconds: Int)
        /// When so many entries wait.
        case batches(of: Int)
    }

    /// Where a device begins that has applied nothing.
    enum Start: Equatable, Sendable { case beginning, head }

    /// The credential for the AUTH frame; asked for at each connection.
    var token: @Sendable () throws -> String
    var applying = Applying.atOnce
    var start = Start.beginning
    /// An end that the device did not choose is followed by a new connection at a random
    /// moment within so long; nil: the device stays away until told to connect.
    var returnsWithinMilliseconds: Int?
    /// What an earlier life has applied, and of which mailbox.
    var appliedSeq: Int64 = 0
    var mailbox: String?

    init(token: @escaping @Sendable () throws -> String) { self.token = token }
}

/// How a device lets go of its connection.
enum DropManner: String, CaseIterable, Sendable {
    /// A close frame (1000), then the end of the stream: the server reads all that was sent before.
    case close
    /// The end of the stream, without a close frame.
    case end
    /// A reset: what is under way may be lost.
    case reset
}

extension DeviceProfile.Applying {
    /// `now`, `never`, a number of milliseconds, or `batch:N`; nil for anything else.
    init?(parsing text: some StringProtocol) {
        switch text {
        case "now": self = .atOnce
        case "never": self = .never
        default:
            if text.hasPrefix("batch:") {
                guard let count = Int(text.dropFirst(6)), count > 0 else { return nil }
                self = .batches(of: count)
            } else {
                guard let milliseconds = Int(text), milliseconds >= 0 else { return nil }
                self = .after(milliseconds: milliseconds)
            }
        }
    }
}
