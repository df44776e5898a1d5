import Wire

/// The client's side of `GET /v1/gateway`, until the answer is there.
final class UpgradeHandshake {
    enum Progress: Equatable {
        case unfinished
        /// With what came behind the answer.
        case upgraded(rest: [UInt8])
        case refused(status: Int, reason: String)
    }

    private static let subprotocol = "rouse.v1"

    let request: [UInt8]
    private let key = SecureRandom.bytes(count: 16)
    private var parser = HTTPResponseParser()

    init(host: String) {
        var bytes: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: .get, target: "/v1/gateway", host: host,
            headers: WebSocketHandshake.requestHeaders(key: key, subprotocols: [Self.subprotocol]), body: [],
            into: &bytes)
        request = bytes
    }

    func take(_ bytes: ArraySlice<UInt8>) -> Progress {
        parser.append(bytes)
        do {
            guard let response = try parser.next() else { return .unfinished }
            guard response.status == 101 else {
                return .refused(
                    status: response.status,
                    reason: String(decoding: response.body.prefix(200), as: UTF8.self))
            }
            let chosen = try WebSocketHandshake.verify(
                response, key: key, subprotocols: [Self.subprotocol])
            guard chosen == Self.subprotocol else {
                return .refused(status: 101, reason: "the subprotocol was not chosen")
            }
            return .upgraded(rest: parser.takeRemainder())
        } catch {
            return .refused(status: 0, reason: "an answer that cannot be taken: \(error)")
        }
    }
}
