import EventLoop
import Wire

/// Registers one device for each of so many users, over a few connections.
final class RegistrationLoad: Workload {
    private static let connectionCount = 16

    private let tenant: LoadTenant
    private let host: String
    private var toDo: [Int]
    private var underWay: [Int: Int] = [:]
    private var failure: String?
    private var connections: [LoadConnection] = []
    private var done: ((String?) -> Void)?
    private var left: Int

    private init(_ tenant: LoadTenant, users: Int, host: String, done: @escaping (String?) -> Void) {
        self.tenant = tenant
        self.host = host
        self.done = done
        toDo = Array((0..<users).reversed())
        left = users
    }

    static func run(_ tenant: LoadTenant, users: Int, on server: ServerProcess, _ loop: EventLoop)
        async throws(LoadtestFailure)
    {
        let address = server.publicAddress
        let failure: String? = await withCheckedContinuation { continuation in
            loop.post {
                let load = RegistrationLoad(tenant, users: users, host: "\(address)") {
                    continuation.resume(returning: $0)
                }
                load.connections = (0..<connectionCount).map {
                    LoadConnection($0, to: address, on: loop, workload: load)
                }
                for connection in load.connections { connection.start() }
            }
        }
        if let failure { throw LoadtestFailure("a device is not registered: \(failure)") }
    }

    func nextRequest(_ connection: LoadConnection) -> [UInt8]? {
        guard let user = toDo.popLast() else { return nil }
        underWay[connection.number] = user
        var request: [UInt8] = []
        HTTPRequestEncoder.encode(
            method: .put, target: "/v1/users/\(LoadTenant.user(user))/devices/\(LoadTenant.device)",
            host: host,
            headers: ["Authorization": "Bearer \(tenant.apiKey)", "Content-Type": "application/json"],
            body: LoadTenant.registration(user), into: &request)
        return request
    }

    func answered(_ connection: LoadConnection, _ answer: AnswerScanner.Answer) {
        guard let user = underWay.removeValue(forKey: connection.number) else { return }
        switch answer.status {
        case 200:
            left -= 1
            if left == 0 { finish(nil) }
        case 429, 503: toDo.append(user)
        default: finish("\(answer.status) \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
        }
    }

    func lost(_ connection: LoadConnection) {
        if let user = underWay.removeValue(forKey: connection.number) { toDo.append(user) }
    }

    private func finish(_ failure: String?) {
        guard let done else { return }
        self.done = nil
        for connection in connections { connection.stop() }
        done(failure)
    }
}
