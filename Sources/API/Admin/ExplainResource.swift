import Domain
import Engine
import Wire

/// `/admin/explain`: what became of a message for a user and a device, and why.
struct ExplainResource: Sendable {
    private let dependencies: AdminAPI.Dependencies

    init(_ dependencies: AdminAPI.Dependencies) { self.dependencies = dependencies }

    var routes: [Route] {
        [
            Route(
                .get, "/admin/explain", "What became of a message, and why.",
                query: ["tenant", "message_id", "user", "device"], [Route.Outcome(200, "Explanation")],
                .administrator { call, answer throws(Problem) in try explain(call, answer) })
        ]
    }

    private func explain(_ call: Call, _ answer: Answer) throws(Problem) {
        let row = try dependencies.tenant(named: call)
        guard let message: MessageID = try call.identifier(query: "message_id", "?message_id") else {
            throw .missing("?message_id")
        }
        guard let user: UserID = try call.identifier(query: "user", "?user") else { throw .missing("?user") }
        let device: DeviceID? = try call.identifier(query: "device", "?device")
        let engine = dependencies.engine
        Task {
            let result = await engine.explain(
                UserName(tenant: row.key, user: user), message, device: device)
            answer.result(result) { explanation in answer.json { $0.explanation(explanation) } }
        }
    }
}
