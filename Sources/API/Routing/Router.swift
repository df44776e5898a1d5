import Domain
import EventLoop
package import HTTP
import Telemetry
package import Wire

/// A listener's table of routes: finds the route, checks who calls and what is sent, then hands over.
package final class Router: Sendable {
    package let routes: [Route]
    private let meters: [RouteMeter]
    private let unmatched: RouteMeter
    private let gatekeeper: Gatekeeper
    private let health: any HealthReporting
    private let gate: (any WriteGate)?
    private let clock: @Sendable () -> Moment

    init(
        _ routes: [Route], listener: String, gatekeeper: Gatekeeper, health: any HealthReporting,
        metrics: MetricRegistry, gate: (any WriteGate)?, clock: @escaping @Sendable () -> Moment
    ) {
        self.routes = routes
        self.gatekeeper = gatekeeper
        self.health = health
        self.gate = gate
        self.clock = clock
        meters = routes.map { RouteMeter(metrics, listener: listener, route: $0.pattern) }
        unmatched = RouteMeter(metrics, listener: listener, route: "none")
    }

    /// For `HTTPServer`.
    package func respond(_ request: HTTPRequest, _ responder: HTTPResponder) {
        let method = request.method == .head ? .get : request.method
        var allowed: [String] = []
        for (index, route) in routes.enumerated() {
            guard let parameters = route.match(request.pathSegments) else { continue }
            guard route.method == method else {
                allowed.append(route.method.text)
                continue
            }
            let call = Call(
                request: request, parameters: parameters, now: clock(),
                mediaType: route.body == .none ? .other : MediaType(request))
            var gate = gate
            if case .anyone = route.handler { gate = nil }
            return run(route, call, Answer(responder, meters[index], under: gate))
        }
        Answer(responder, unmatched).problem(Self.unmatched(request, allowed))
    }

    private func run(_ route: Route, _ call: Call, _ answer: Answer) {
        do throws(Problem) {
            if case .anyone(let handle) = route.handler {
                try check(route, call)
                return try handle(call, answer)
            }
            guard !health.isStandby else { throw Problem(.standby, "Another server owns the data.") }
            switch route.handler {
            case .anyone: return
            case .backend(let handle):
                let tenant = try gatekeeper.backend(call, peer: answer.peer)
                try check(route, call)
                try handle(call, tenant, answer)
            case .device(let handle):
                let identity = try gatekeeper.device(call, peer: answer.peer)
                try check(route, call)
                try handle(call, identity, answer)
            case .administrator(let handle):
                try gatekeeper.administrator(call, peer: answer.peer)
                try check(route, call)
                try handle(call, answer)
            }
        } catch {
            answer.problem(error)
        }
    }

    private func check(_ route: Route, _ call: Call) throws(Problem) {
        let request = call.request
        for parameter in request.query.parameters where !route.query.contains(parameter.name) {
            throw .unknownField("?\(parameter.name)")
        }
        guard route.body != .none else { return }
        guard
            !request.body.isEmpty || request.headers.contains("Content-Length")
                || request.headers.contains("Transfer-Encoding")
        else { throw Problem(.lengthRequired, "The call has a body: tell its length.") }
        switch (route.body, call.mediaType) {
        case (.json, .json), (.messages, .json), (.messages, .lines): return
        case (.messages, _):
            throw Problem(.unsupportedMediaType, "Send application/json or application/x-ndjson.")
        default: throw Problem(.unsupportedMediaType, "Send application/json.")
        }
    }

    private static func unmatched(_ request: HTTPRequest, _ allowed: [String]) -> Problem {
        guard !allowed.isEmpty else { return Problem(.notFound, "See /openapi.json for what there is.") }
        let allow = allowed.contains("GET") ? allowed + ["HEAD"] : allowed
        return Problem(
            .methodNotAllowed, "Another method is needed here.", allow: allow.joined(separator: ", "))
    }
}

/// The content types that calls take.
enum MediaType {
    case json
    case lines
    case other

    init(_ request: HTTPRequest) {
        if request.headers.value("Content-Type", is: "application/json") {
            self = .json
            return
        }
        guard let value = request.headers.valueBytes("Content-Type") else {
            self = .other
            return
        }
        let type = value.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        switch String(decoding: type, as: UTF8.self).lowercased() {
        case "application/json": self = .json
        case "application/x-ndjson": self = .lines
        default: self = .other
        }
    }
}
