import Dispatch

/// A host name that could not be turned into an address.
package struct NameError: Error, Equatable, CustomStringConvertible {
    package let host: String
    package let reason: String

    package var description: String { "\(host): \(reason)" }
}

/// Names to addresses by the system's resolver, which blocks: it runs on two queues of its own, so that one
/// name server that does not answer cannot hold up a loop, and can hold up at most half of the other names.
package enum Resolver {
    private static let queues = (0..<2).map { DispatchQueue(label: "resolver-\($0)") }

    /// Calls back on the loop, with at least one address or an error.
    /// Addresses in figures are answered without a lookup.
    package static func resolve(
        host: String, port: UInt16, on loop: EventLoop,
        completion: sending @escaping (Result<[SocketAddress], NameError>) -> Void
    ) {
        let completion = LoopBound(sending: completion, to: loop)
        if let address = SocketAddress(numericHost: host, port: port) {
            return loop.post { completion.value(.success([address])) }
        }
        queues[Int(UInt(bitPattern: host.hashValue) % UInt(queues.count))].async { @Sendable in
            var result = System.resolve(host: host, port: port)
            if case .success(let addresses) = result, addresses.isEmpty {
                result = .failure(NameError(host: host, reason: "no address"))
            }
            loop.post { [result] in completion.value(result) }
        }
    }
}
