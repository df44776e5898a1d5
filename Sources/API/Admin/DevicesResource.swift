import Domain
import Engine
import Wire

/// `/admin/devices`: a user's devices with their presence, for operators; no token, ever.
struct DevicesResource: Sendable {
    private let dependencies: AdminAPI.Dependencies

    init(_ dependencies: AdminAPI.Dependencies) { self.dependencies = dependencies }

    var routes: [Route] {
        [
            Route(
                .get, "/admin/devices", "A user's devices and their presence.", query: ["tenant", "user"],
                [Route.Outcome(200, "Devices")],
                .administrator { call, answer throws(Problem) in
                    let tenant = try dependencies.tenant(named: call)
                    guard let user: UserID = try call.identifier(query: "user", "?user") else {
                        throw .missing("?user")
                    }
                    let engine = dependencies.engine
                    engine.devices(UserName(tenant: tenant.key, user: user)) { result in
                        answer.result(result) { devices in
                            answer.json { $0.devices(devices, node: engine.node) }
                        }
                    }
                })
        ]
    }
}
