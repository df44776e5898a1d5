import EventLoop
import Wire

/// Registers devices of so many users, as their backend would.
enum RegistrationLoad {
    static func run(
        _ tenant: LoadTenant, users: Int, devices: [String] = [LoadTenant.device],
        transport: @escaping @Sendable (Int) -> LoadTenant.Transport = { _ in .apns },
        on server: any ServerAccess, _ loop: EventLoop
    ) async throws(LoadtestFailure) {
        let (address, key) = (server.publicAddress, tenant.apiKey)
        let answers = try await RequestBatch.run(users * devices.count, to: address, on: loop) { index in
            let (user, device) = (index / devices.count, devices[index % devices.count])
            return HTTPRequestEncoder.bytes(
                .put, "/v1/users/\(LoadTenant.user(user))/devices/\(device)", host: address,
                bearer: key, body: LoadTenant.registration(user, device: device, transport(user)))
        }
        if let bad = answers.first(where: { $0.status != 200 }) {
            let text = String(decoding: bad.body.prefix(300), as: UTF8.self)
            throw LoadtestFailure("a device is not registered: \(bad.status) \(text)")
        }
    }
}
