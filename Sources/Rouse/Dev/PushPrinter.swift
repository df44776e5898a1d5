import Simulator
import Wire

/// Prints each push as the simulated providers receive it.
struct PushPrinter: Sendable {
    enum Form: Sendable { case none, words, json }

    let terminal: Terminal
    var form = Form.words

    @Sendable func print(_ push: SimulatedPush) {
        switch form {
        case .none: break
        case .json: terminal.out(String(decoding: push.body, as: UTF8.self))
        case .words: terminal.out(Self.line(push))
        }
    }

    /// `push apns alert to 5f3a… badge 2 "alice: hello" → 200`. A simulated token is
    /// nobody's, and yet only its beginning is shown: habits begin small.
    static func line(_ push: SimulatedPush) -> String {
        let token = "\(push.token.prefix(min(8, push.token.count / 2)))…"
        let badge = push.badge.map { " badge \($0)" } ?? ""
        let text = text(of: push).map { " “\(FrameLine.oneLine($0))”" } ?? ""
        let reason = push.reason.isEmpty ? "" : " \(push.reason)"
        return "push     \(push.provider.rawValue) \(kind(of: push)) to \(token)\(badge)\(text)"
            + " → \(push.status)\(reason)"
    }

    private static func kind(of push: SimulatedPush) -> String {
        switch push.provider {
        case .apns: push.payload?["rouse"]?["kind"]?.string ?? "push"
        case .fcm: push.payload?["message"]?["data"]?["rouse_kind"]?.string ?? "push"
        }
    }

    private static func text(of push: SimulatedPush) -> String? {
        let shown: JSONNode?
        switch push.provider {
        case .apns: shown = push.payload?["aps"]?["alert"]
        case .fcm: shown = push.payload?["message"]?["android"]?["notification"]
        }
        let parts = [shown?["title"]?.string, shown?["body"]?.string].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }
}
