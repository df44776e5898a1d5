import Wire

/// One step of a task's life, as `explain` tells it.
struct SeenStep: Equatable, Sendable {
    /// Milliseconds since 1970, by the server's clock, which is this machine's.
    let at: Int64
    let step: String
    /// Why it fell due.
    let reason: String

    init(at: Int64, _ step: String, reason: String = "") {
        self.at = at
        self.step = step
        self.reason = reason
    }

    init(_ node: JSONNode) {
        self.init(
            at: node["at_ms"]?.integer ?? 0, node["step"]?.string ?? "",
            reason: node["reason"]?.string ?? "")
    }
}

/// A push as the simulated provider received it.
struct SeenPush: Equatable, Sendable {
    /// Milliseconds since 1970.
    let at: Int64
    let apnsID: String
    let status: Int
}

/// All that was seen of one device and one message.
struct SceneEvidence: Equatable, Sendable {
    let scene: Scene
    let expectation: Scene.Expectation
    /// What tells this run from the others of its scene.
    let name: String
    var user = 0
    var device = LoadTenant.device
    var message = ""
    /// Just before the request with the message left.
    var postedAt: Int64 = 0
    /// When the client closed, where it did.
    var closedAt: Int64?
    /// APPLIED came on purpose not before this.
    var appliedFrom: Int64?
    /// When the server's kernel gave the connection up.
    var socketGoneAt: Int64?
    var steps: [SeenStep] = []
    /// `notified`, `applied`, or the state of a task that is still open.
    var state = ""
    var pushes: [SeenPush] = []

    init(_ scene: Scene, _ expectation: Scene.Expectation, name: String) {
        self.scene = scene
        self.expectation = expectation
        self.name = name
    }

    private func first(_ step: String) -> SeenStep? { steps.first { $0.step == step } }

    var materialisedAt: Int64? { first("materialised")?.at }
    /// PUSHED: the kernel had taken the entry's bytes.
    var writtenAt: Int64? { first("pushed")?.at }
    var due: SeenStep? { first("due") }
    var appliedAt: Int64? { first("applied")?.at }
    var wasOnline: Bool { !steps.contains { $0.step == "due" && $0.reason == "offline" } }
    /// When the provider got the first request for it.
    var atProvider: Int64? { pushes.map(\.at).min() }

    /// Takes `devices[…]` of an explanation.
    mutating func take(explanation node: JSONNode) {
        state = node["state"]?.string ?? ""
        steps = node["trace"].map { $0.elements.map { SeenStep($0) } } ?? []
    }
}
