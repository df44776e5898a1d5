/// One performance of a scene, with users, a namespace and a client process of its own.
struct SceneAct: Equatable, Sendable {
    /// What tells performances of one scene apart.
    enum Variant: Equatable, Sendable {
        case plain
        /// What the server's side loses.
        case loss(NetworkLab.Loss)
        /// How the client closes.
        case close(DropManner)
        /// APPLIED just before the grace is over, the write being impossible to confirm; and its silent twin.
        case grace(isSilent: Bool)
        /// APPLIED just before the window closes.
        case window
        /// APPLIED and the close in one breath.
        case beforeClose(DropManner)
    }

    let scene: Scene
    let variant: Variant
    /// Counts from 1 over all.
    let number: Int
    let users: Range<Int>

    var name: String { "\(scene.rawValue)\(variant.suffix) \(number)" }
    var message: String { "scene-\(number)" }
    /// Whether the client's link does not go through the bridge.
    var isWired: Bool { if case .loss = variant { true } else { false } }

    var expectation: Scene.Expectation {
        switch (scene, variant) {
        case (.zombie, _), (.zombies, _), (.other, _), (.route, _): .dueWithinWindow
        case (.frozen, _): .dueAtWindowEnd
        case (.closed, _): .dueAtClose
        case (_, .grace(isSilent: true)): .dueAtGraceEnd
        case (_, .grace(isSilent: false)): .appliedUnwritten
        case (.thawed, _), (.applied, _): .applied
        }
    }
}

extension SceneAct.Variant {
    fileprivate var suffix: String {
        switch self {
        case .plain: ""
        case .loss(let loss): ", \(loss.rawValue)"
        case .close(let manner): manner == .close ? ", close frame" : ", plain FIN"
        case .grace(let isSilent): isSilent ? ", grace, silent twin" : ", before the grace ends"
        case .window: ", before the window ends"
        case .beforeClose(let manner): manner == .close ? ", before a close frame" : ", before a FIN"
        }
    }
}

extension SceneAct {
    /// The performances of the scenes chosen.
    ///
    /// - Parameters:
    ///   - runs: how often the zombie's.
    ///   - zombies: how many devices die at once.
    ///   - repeats: how often each of the others.
    static func plan(_ scenes: [Scene], runs: Int, zombies: Int, repeats: Int) -> [SceneAct] {
        var acts: [SceneAct] = []
        var user = 0
        func add(_ scene: Scene, _ variants: [Variant] = [.plain], times: Int, users: Int = 1) {
            for variant in (0..<times).flatMap({ _ in variants }) {
                acts.append(
                    SceneAct(
                        scene: scene, variant: variant, number: acts.count + 1, users: user..<user + users))
                user += users
            }
        }
        for scene in Scene.allCases where scenes.contains(scene) {
            switch scene {
            case .zombie: add(scene, times: runs)
            case .zombies: add(scene, times: 1, users: zombies)
            case .other, .frozen, .thawed: add(scene, times: repeats)
            case .route: add(scene, NetworkLab.Loss.allCases.map { .loss($0) }, times: repeats)
            case .closed: add(scene, [.close(.close), .close(.end)], times: repeats)
            case .applied:
                add(
                    scene,
                    [
                        .grace(isSilent: false), .grace(isSilent: true), .window, .beforeClose(.close),
                        .beforeClose(.end),
                    ], times: repeats)
            }
        }
        return acts
    }
}
