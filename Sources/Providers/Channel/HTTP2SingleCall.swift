import EventLoop
import HTTP
import Wire

/// One request over a connection of its own. Belongs to one loop; keeps itself alive until it is answered.
final class HTTP2SingleCall: HTTP2ClientConnectionDelegate {
    enum Result {
        case response(HTTP2Response)
        case failed(reason: String)
    }

    private let headers: HTTP2Headers
    private let body: [UInt8]
    private var completion: ((Result) -> Void)?
    private var connection: HTTP2ClientConnection?
    private var isSent = false
    private var me: HTTP2SingleCall?

    init(_ headers: HTTP2Headers, body: [UInt8], completion: @escaping (Result) -> Void) {
        self.headers = headers
        self.body = body
        self.completion = completion
    }

    func start(_ connector: Connector, _ endpoint: ProviderEndpoint, on loop: EventLoop) {
        me = self
        connector.connect(host: endpoint.host, port: endpoint.port, on: loop) { [self] result in
            switch result {
            case .success(let stream): connected(stream)
            case .failure(let error): finish(.failed(reason: ConnectFailure.reason(error)))
            }
        }
    }

    private func connected(_ stream: any ByteStream) {
        do {
            let connection = try HTTP2ClientConnection(stream, delegate: self)
            self.connection = connection
            connection.start()
            send(over: connection)
        } catch {
            stream.close(.reset)
            finish(.failed(reason: "http2_not_started"))
        }
    }

    private func send(over connection: HTTP2ClientConnection) {
        guard !isSent else { return }
        isSent = connection.send(headers, body: body, tag: 0)
    }

    private func finish(_ result: Result) {
        let completion = completion
        self.completion = nil
        connection?.drain()
        completion?(result)
        me = nil
    }

    func connection(_ connection: HTTP2ClientConnection, finished tag: Int, with outcome: HTTP2Outcome) {
        switch outcome {
        case .response(let response): finish(.response(response))
        case .unprocessed: finish(.failed(reason: "refused_stream"))
        case .unknown: finish(.failed(reason: "no_answer"))
        }
    }

    func connectionHasRoom(_ connection: HTTP2ClientConnection) { send(over: connection) }

    func connectionIsDraining(
        _ connection: HTTP2ClientConnection, errorCode: HTTP2ErrorCode, debugData: [UInt8]
    ) {}

    func connectionClosed(_ connection: HTTP2ClientConnection, _ closure: HTTP2Closure) {
        finish(.failed(reason: "connection_lost"))
    }
}

/// The words for a connection that did not come about.
enum ConnectFailure {
    static func reason(_ error: ConnectError) -> String {
        switch error {
        case .name: "name_not_found"
        case .noAdmittedAddress: "address_not_admitted"
        case .system: "unreachable"
        case .tls: "tls_refused"
        case .handshakeCutShort: "handshake_cut_short"
        case .wrongProtocol: "no_http2"
        case .timedOut: "connect_timed_out"
        }
    }
}
