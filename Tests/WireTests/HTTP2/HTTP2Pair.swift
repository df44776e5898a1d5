@testable import Wire

/// A client and a server session that talk through byte arrays.
final class HTTP2Pair {
    let client: HTTP2ClientSession
    let server: HTTP2ServerSession
    var clientEvents: [HTTP2ClientEvent] = []
    var serverEvents: [HTTP2ServerEvent] = []

    init(
        client: HTTP2ClientSession.Options = .init(), server: HTTP2ServerSession.Options = .init()
    ) throws {
        self.client = try HTTP2ClientSession(options: client)
        self.server = try HTTP2ServerSession(options: server)
    }

    /// Moves bytes both ways, in pieces of at most `pieceSize`, until nothing is pending.
    func talk(pieceSize: Int = .max) throws {
        while true {
            let toServer = Self.pending { client.writePending(into: &$0) }
            try Self.split(toServer, pieceSize) { try server.receive($0) }
            serverEvents += server.takeEvents()
            let toClient = Self.pending { server.writePending(into: &$0) }
            try Self.split(toClient, pieceSize) { try client.receive($0) }
            clientEvents += client.takeEvents()
            if toServer.isEmpty && toClient.isEmpty { return }
        }
    }

    /// Answers every request seen so far with 200 and the given body.
    func answerAll(body: [UInt8] = []) throws {
        for case .request(let stream, _, _) in serverEvents {
            try server.respond(stream: stream, headers: Self.status("200"), body: body)
        }
        serverEvents = []
    }

    func bodyReceived(tag: Int) -> [UInt8] {
        var body: [UInt8] = []
        for case .bodyData(_, tag, let bytes) in clientEvents { body += bytes }
        return body
    }

    static func pending(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        write(&bytes)
        return bytes
    }

    static func split(_ bytes: [UInt8], _ size: Int, _ deliver: ([UInt8]) throws -> Void) rethrows {
        let size = min(size, max(bytes.count, 1))
        for start in stride(from: 0, to: bytes.count, by: size) {
            try deliver(Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }

    static func request(path: String = "/3/device/00fc") -> HTTP2Headers {
        var headers = HTTP2Headers()
        headers.append(.method, "POST")
        headers.append(.scheme, "https")
        headers.append(.path, path)
        headers.append(.authority, "push.example.org")
        headers.append(.authorization, "bearer secret", indexing: .neverIndexed)
        headers.append("apns-topic", "org.example.app")
        return headers
    }

    static func status(_ status: String) -> HTTP2Headers {
        var headers = HTTP2Headers()
        headers.append(.status, status)
        headers.append("apns-id", "f49e5d5c-0000-4000-8000-000000000000")
        return headers
    }
}
