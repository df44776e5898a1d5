/// How long a connection waits for its client. One timer that is moved only when
/// it must ring earlier: a busy connection arms none per request. Pure: times
/// are milliseconds of one monotonic clock, the owner holds the timer.
package struct ClientPatience: Sendable {
    package enum Awaited: UInt8, Sendable {
        /// It is our turn.
        case nothing
        case nextRequest
        case head
        case body
    }

    private let idleMilliseconds: Int64
    private let headMilliseconds: Int64
    private let bodyMilliseconds: Int64
    private(set) package var awaited = Awaited.nothing
    private var deadline: Int64 = 0
    private var rings = Int64.max

    package init(_ settings: HTTPServerSettings) {
        idleMilliseconds = Int64(settings.idleTimeoutMilliseconds)
        headMilliseconds = Int64(settings.headerTimeoutMilliseconds)
        bodyMilliseconds = Int64(settings.bodyTimeoutMilliseconds)
    }

    /// Whether `wait` has anything to do: spares reading the clock.
    package func changes(with awaited: Awaited) -> Bool { awaited != self.awaited || awaited == .nextRequest }

    /// Gives the delay with which the timer must be armed anew, nil if it stands or none is needed. A
    /// wait for the same thing keeps its first deadline; only an idle time begins anew.
    package mutating func wait(for awaited: Awaited, at now: Int64) -> Int? {
        guard changes(with: awaited) else { return nil }
        self.awaited = awaited
        switch awaited {
        case .nothing: return nil
        case .nextRequest: deadline = now + idleMilliseconds
        case .head: deadline = now + headMilliseconds
        case .body: deadline = now + bodyMilliseconds
        }
        guard deadline < rings else { return nil }
        rings = deadline
        return Int(deadline - now)
    }

    package enum Verdict: Equatable, Sendable {
        case goOn
        case armAgain(milliseconds: Int)
        case inVain(Awaited)
    }

    /// When the timer rings.
    package mutating func ring(at now: Int64) -> Verdict {
        rings = .max
        guard awaited != .nothing else { return .goOn }
        guard deadline > now else { return .inVain(awaited) }
        rings = deadline
        return .armAgain(milliseconds: Int(deadline - now))
    }
}
