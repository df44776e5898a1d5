package import EventLoop
import HTTP
import Wire

/// The simulator's own plain HTTP/1.1 endpoint: what it received, and what it shall answer.
///
/// `GET /pushes?token=&after=&limit=` · `POST /tokens/{token}` with a scripted answer (`*` for
/// all, `oauth` for the token endpoint) · `POST /reset` · `GET /stats` · `GET /ca.pem`.
package final class SimulatorControl: Sendable {
    private static let defaultLimit = 100

    private let server: HTTPServer

    /// Listens at once; fails with what the system says.
    package init(
        address: SocketAddress = .loopback(port: 0), group: EventLoopGroup, simulator: ProviderSimulator
    ) throws {
        server = try HTTPServer(
            address: address, group: group,
            renderer: { failure in Self.problem(failure.status, "\(failure)") },
            responder: { request, responder in responder.respond(Self.answer(request, simulator)) })
    }

    package var address: SocketAddress { server.address }

    package func drain() async { await server.drain(withinMilliseconds: 1_000) }

    static func answer(_ request: HTTPRequest, _ simulator: ProviderSimulator) -> HTTPResponse {
        let path = request.pathSegments
        switch (request.method, path.first ?? "", path.count) {
        case (.get, "pushes", 1): return pushes(request, simulator)
        case (.post, "tokens", 2): return script(path[1], request, simulator)
        case (.post, "reset", 1):
            simulator.reset()
            return HTTPResponse(status: 204)
        case (.get, "stats", 1): return statistics(simulator.statistics)
        case (.get, "ca.pem", 1):
            return HTTPResponse(
                status: 200, contentType: "application/x-pem-file", body: Array(simulator.authorityPEM.utf8))
        default: return problem(404, "no such call")
        }
    }

    private static func pushes(_ request: HTTPRequest, _ simulator: ProviderSimulator) -> HTTPResponse {
        let limit = request.query["limit"].flatMap { Int($0) } ?? defaultLimit
        let after = request.query["after"].flatMap { Int($0) } ?? 0
        let pushes = simulator.pushes(token: request.query["token"], after: after, limit: max(0, limit))
        var body = JSONWriter(capacity: 1_024 * pushes.count + 16)
        body.beginArray()
        for push in pushes { push.write(to: &body) }
        body.endArray()
        return json(200, body)
    }

    private static func script(
        _ token: String, _ request: HTTPRequest, _ simulator: ProviderSimulator
    ) -> HTTPResponse {
        guard let root = (try? JSONDocument(parsing: request.body))?.root, let answer = ScriptedAnswer(root)
        else {
            return problem(
                422,
                "answer must be accept, silent, refuse, goaway, close, a status, or a reason of the provider")
        }
        simulator.script(token, answer)
        return HTTPResponse(status: 204)
    }

    private static func statistics(_ statistics: SimulatorStatistics) -> HTTPResponse {
        var body = JSONWriter()
        body.beginObject()
        body.member("received", statistics.received)
        body.member("accepted", statistics.accepted)
        body.member("connections", statistics.connections)
        body.member("provider_tokens", statistics.providerTokens)
        body.member("access_tokens", statistics.accessTokens)
        body.key("answers")
        body.beginObject()
        for (answer, count) in statistics.answers.sorted(by: { $0.key < $1.key }) {
            body.key(escaping: answer)
            body.integer(count)
        }
        body.endObject()
        body.endObject()
        return json(200, body)
    }

    private static func problem(_ status: Int, _ detail: String) -> HTTPResponse {
        var body = JSONWriter()
        body.beginObject()
        body.member("status", status)
        body.member("detail", detail)
        body.endObject()
        return HTTPResponse(status: status, contentType: "application/problem+json", body: body.bytes)
    }

    private static func json(_ status: Int, _ body: JSONWriter) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", body: body.bytes)
    }
}
