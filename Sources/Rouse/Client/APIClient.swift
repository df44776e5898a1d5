import EventLoop
import Wire

/// Speaks to one listener of a server with one credential.
struct APIClient: Sendable {
    let address: WebAddress
    /// For an https address.
    let tls: TLSContext?
    /// `rk_…`, a device credential or the admin token; nil: none is shown.
    let bearer: String?
    let loop: EventLoop

    /// The answer, whatever its status.
    func call(
        _ method: HTTPMethod, _ target: String, _ body: [UInt8]? = nil,
        contentType: String = "application/json"
    ) async throws(CommandFailure) -> HTTPResponse {
        var headers: HTTPHeaders = ["Connection": "close", "Accept": "application/json"]
        if let bearer { headers.add("Authorization", "Bearer \(bearer)") }
        if body != nil { headers.add("Content-Type", contentType) }
        var request: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: method, target: target, host: address.authority, headers: headers, body: body ?? [],
            into: &request)
        return try await ServerCall.send(request, to: address, tls: tls, on: loop)
    }

    /// The JSON of a successful answer; anything else is a failure told in the server's own words.
    func json(
        _ method: HTTPMethod, _ target: String, _ body: [UInt8]? = nil
    ) async throws(CommandFailure) -> JSONNode {
        let response = try await call(method, target, body)
        guard (200..<300).contains(response.status) else { throw Self.failure(response) }
        do { return try JSONDocument(parsing: response.body).root } catch {
            throw CommandFailure("\(address) gives an answer that is no JSON")
        }
    }

    /// For an answer without a body.
    func done(_ method: HTTPMethod, _ target: String, _ body: [UInt8]? = nil) async throws(CommandFailure) {
        let response = try await call(method, target, body)
        guard (200..<300).contains(response.status) else { throw Self.failure(response) }
    }

    static func failure(_ response: HTTPResponse) -> CommandFailure {
        guard let problem = (try? JSONDocument(parsing: response.body))?.root,
            let code = problem["code"]?.string
        else { return CommandFailure("the server answers \(response.status)") }
        let detail = problem["detail"]?.string ?? problem["title"]?.string ?? ""
        return CommandFailure("the server answers \(response.status) \(code): \(FrameLine.oneLine(detail))")
    }
}
