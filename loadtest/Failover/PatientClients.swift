import EventLoop

/// Some devices under close control, of users and with names that no other device has.
struct PatientClients: Sendable {
    private let clients: [LoopBound<PatientClient>]
    private let loop: EventLoop

    var count: Int { clients.count }

    /// Opens WebSockets; those that do not come about are left out.
    static func open(_ count: Int, to address: SocketAddress, on loop: EventLoop) async -> PatientClients {
        var clients: [LoopBound<PatientClient>] = []
        for _ in 0..<count {
            if let client = await PatientClient.open(to: address, on: loop) { clients.append(client) }
        }
        return PatientClients(clients: clients, loop: loop)
    }

    /// Says who they are: devices of one user that are not registered.
    func authenticate(_ tenant: LoadTenant, user: Int) async throws {
        for (number, client) in clients.enumerated() {
            let token = try tenant.credential(of: user, device: "patient-\(number)")
            loop.post { client.value.authenticate(token) }
        }
    }

    func pause() { each { $0.pause() } }

    func resume() { each { $0.resume() } }

    /// Bytes that each got since its WebSocket opened.
    func received() async -> [Int] {
        let clients = clients
        return await withCheckedContinuation { continuation in
            loop.post { continuation.resume(returning: clients.map(\.value.received)) }
        }
    }

    /// The types of all frames they got; then they hang up.
    func end() async -> [String] {
        let clients = clients
        return await withCheckedContinuation { continuation in
            loop.post {
                continuation.resume(returning: clients.flatMap(\.value.frames))
                for client in clients { client.value.close() }
            }
        }
    }

    private func each(_ body: @escaping @Sendable (PatientClient) -> Void) {
        for client in clients { loop.post { body(client.value) } }
    }
}

/// A user with so much in the mailbox that no socket takes it all: a device of it that reads nothing leaves
/// bytes in the server's own buffers.
struct HeavyMailbox: Sendable {
    private static let messages = 200
    private static let padding = 60_000
    static var bytes: Int { messages * padding }

    let user: Int

    /// - Parameter user: nobody else's.
    static func fill(_ user: Int, _ witness: SceneWitness) async throws -> HeavyMailbox {
        for number in 1...messages {
            _ = try await witness.post("heavy-\(number)", to: user..<user + 1, padding: padding)
        }
        return HeavyMailbox(user: user)
    }
}
