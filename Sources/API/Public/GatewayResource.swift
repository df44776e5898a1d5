import HTTP
import Wire

/// `GET /v1/gateway`: where HTTP ends and the WebSocket begins.
struct GatewayResource: Sendable {
    let gatekeeper: Gatekeeper
    let health: any HealthReporting
    let open: @Sendable (HTTPRequest, HTTPResponder, DeviceIdentity?) -> Void

    var routes: [Route] {
        [
            Route(
                .get, "/v1/gateway", "The WebSocket of devices, subprotocol rouse.v1.",
                [Route.Outcome(101), Route.Outcome(426, "Problem"), Route.Outcome(503, "Problem")],
                .anyone { call, answer throws(Problem) in
                    guard !health.isStandby else { throw Problem(.standby, "Another server owns the data.") }
                    var identity: DeviceIdentity?
                    if call.request.headers.contains("Authorization") {
                        identity = try gatekeeper.device(call, peer: answer.peer)
                    }
                    answer.upgrade { open(call.request, $0, identity) }
                })
        ]
    }
}
