import EventLoop

extension ConnectError {
    /// Why no connection came about, for people.
    var words: String {
        switch self {
        case .name(let error): "the name cannot be looked up (\(error))"
        case .noAdmittedAddress(let host): "\(host) has no address that may be used"
        case .system(let error): "\(error)"
        case .tls(let error): "TLS: \(error)"
        case .handshakeCutShort: "the server hung up during the TLS handshake"
        case .wrongProtocol: "the server speaks another protocol"
        case .timedOut: "no answer in time"
        }
    }
}
