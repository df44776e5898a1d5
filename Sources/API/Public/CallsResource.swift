import Domain
import Engine
import Gateway
import Wire

/// `/v1/calls`: what rings, for backends and devices.
struct CallsResource: Sendable {
    let engine: Engine

    var routes: [Route] {
        [
            Route(
                .post, "/v1/calls", "Ring the devices of a call's callees.", body: .json("Call"),
                [Route.Outcome(202, "Ringing")],
                .backend { call, tenant, answer throws(Problem) in try ring(call, tenant, answer) }),
            Route(
                .post, "/v1/calls/{call_id}/cancel", "End a call, for all its callees or for one.",
                body: .json("CallCancel"), [Route.Outcome(202, "CallCancelled")],
                .backend { call, tenant, answer throws(Problem) in try cancel(call, tenant, answer) }),
            Route(
                .get, "/v1/calls/{call_id}", "How a call stands for the device's user.",
                [Route.Outcome(200, "CallState")],
                .device { call, identity, answer throws(Problem) in
                    engine.call(
                        identity.userName, try call.identifier(0, "call_id"), as: identity.caller
                    ) { result in
                        answer.result(result) { status in answer.json { $0.callState(status) } }
                    }
                }),
        ]
    }

    private func ring(_ call: Call, _ tenant: Tenant, _ answer: Answer) throws(Problem) {
        let incoming = try CallReader.call(parsing: call.request.body)
        engine.ring(tenant: tenant.key, incoming) { result in
            switch result {
            case .accepted(let isDuplicate, let devices):
                answer.json(202) { writer in
                    writer.beginObject()
                    writer.member("call_id", incoming.id.text)
                    writer.member("duplicate", isDuplicate)
                    writer.member("devices", devices)
                    writer.endObject()
                }
            case .refused(let refusal): answer.problem(Problem(refusal))
            }
        }
    }

    private func cancel(_ call: Call, _ tenant: Tenant, _ answer: Answer) throws(Problem) {
        let id: CallID = try call.identifier(0, "call_id")
        let body = try CallCancelBody(parsing: call.request.body)
        let engine = engine
        Task {
            let result = await engine.cancelCall(
                CallName(tenant: tenant.key, call: id), reason: body.reason, callee: body.callee)
            answer.result(result) {
                answer.json(202) { writer in
                    writer.beginObject()
                    writer.member("call_id", id.text)
                    writer.endObject()
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func callState(_ status: CallStatus) {
        beginObject()
        call(status.call)
        member("state", status.state.word)
        member("reason", status.state.reason)
        key("answered_by")
        if case .answered(let device) = status.state { string(device.text) } else { null() }
        endObject()
    }
}
