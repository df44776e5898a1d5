package import Engine
import EventLoop
import HTTP
package import Wire

/// The one answer to a call, in the forms the interface has; counted when it is given. Any thread.
package struct Answer: Sendable {
    private let responder: HTTPResponder
    private let meter: RouteMeter
    private let startedAt: UInt64
    /// What is answered from the state of this server is true only while it owns the data.
    private let gate: (any WriteGate)?
    private static let jsonHeaders: HTTPHeaders = ["Content-Type": "application/json"]

    init(_ responder: HTTPResponder, _ meter: RouteMeter, under gate: (any WriteGate)? = nil) {
        self.responder = responder
        self.meter = meter
        self.gate = gate
        startedAt = meter.now()
    }

    package func json(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(capacity: 512)
        write(&writer)
        give(HTTPResponse(status: status, headers: Self.jsonHeaders, body: writer.bytes))
    }

    package func bytes(_ body: [UInt8], contentType: String) {
        give(HTTPResponse(status: 200, contentType: contentType, body: body))
    }

    /// Where the caller is, as a key for limits.
    var peer: String { responder.peer?.host ?? "unix" }

    /// Whether the caller is on this machine.
    var isLocal: Bool {
        switch responder.peer {
        case nil, .unix: true
        case .ipv4(let host, _): host >> 24 == 127
        case .ipv6(let host, _, _): host.high == 0 && (host.low == 1 || host.low >> 24 == 0xffff7f)
        }
    }

    /// 204.
    package func empty() { give(HTTPResponse(status: 204)) }

    package func problem(_ problem: Problem) { give(problem.response) }

    /// Answers by `success`, or with the problem of the refusal.
    package func result<Value>(_ result: Result<Value, Refusal>, _ success: (Value) -> Void) {
        switch result {
        case .success(let value): success(value)
        case .failure(let refusal): problem(Problem(refusal))
        }
    }

    /// Hands the connection on: not an HTTP answer any more.
    func upgrade(_ upgrade: (HTTPResponder) -> Void) {
        meter.answered(status: 101, since: startedAt)
        upgrade(responder)
    }

    private func give(_ response: HTTPResponse) {
        meter.answered(status: response.status, since: startedAt)
        responder.respond(response, under: response.status == 503 ? nil : gate)
    }
}
