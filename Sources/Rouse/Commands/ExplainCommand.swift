import Wire

extension Commands {
    /// `rouse explain --message m-1 --user bob`.
    static let explain = Command(
        name: "explain", summary: "Tell what became of a message for a user, device by device, and why",
        options: [
            .value("message", "ID", "The message"), .value("user", "USER", "The recipient"),
            .value("device", "ID", "Only this device"),
            .value("tenant", "NAME", "The tenant (ROUSE_TENANT)"),
            .flag("backend", "Ask the public listener with the API key instead of the admin listener"),
            ClientSettings.jsonOption, ClientSettings.adminOption, ClientSettings.adminTokenOption,
            ClientSettings.serverOption, ClientSettings.apiKeyOption, ClientSettings.clientOption,
            ClientSettings.caOption,
        ],
        run: { arguments, terminal in
            let settings = try ClientSettings(arguments)
            let message = PercentEncoding.encode(try arguments.required("message"))
            var query = "user=" + PercentEncoding.encode(try arguments.required("user"))
            if let device = arguments["device"] { query += "&device=" + PercentEncoding.encode(device) }
            let answer: JSONNode
            if arguments.has("backend") {
                answer = try await settings.backend().json(.get, "/v1/messages/\(message)/trace?\(query)")
            } else {
                query += "&message_id=\(message)&tenant=" + PercentEncoding.encode(try settings.tenant())
                answer = try await settings.admin().json(.get, "/admin/explain?\(query)")
            }
            if arguments.has("json") { return terminal.out(String(decoding: answer.rawBytes, as: UTF8.self)) }
            terminal.out(ExplanationText.text(answer))
        })
}

/// An explanation for people: a line per device, and below it a line per step.
enum ExplanationText {
    static func text(_ answer: JSONNode) -> String {
        let devices = answer["devices"].map { Array($0.elements) } ?? []
        var lines = [heading(answer)]
        if devices.isEmpty { lines.append("  no device of this user is known") }
        for device in devices {
            lines.append("")
            lines.append("  \(device["device"]?.string ?? "?"): \(verdict(device))")
            for step in device["trace"].map({ Array($0.elements) }) ?? [] {
                lines.append("    \(line(step))")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func heading(_ answer: JSONNode) -> String {
        let message = answer["message_id"]?.string ?? "?"
        let user = answer["user"]?.string ?? "?"
        let seq = answer["mailbox_seq"]?.integer.map { ", entry \($0)" } ?? ""
        let time = answer["materialised_at"]?.string.map { ", materialised at \($0)" } ?? ""
        return "message \(message) for \(user)\(seq)\(time)"
    }

    private static func verdict(_ device: JSONNode) -> String {
        let state = device["state"]?.string ?? "?"
        guard let reason = device["reason"]?.string, !reason.isEmpty else { return spaced(state) }
        return "\(spaced(state)), because: \(spaced(reason))"
    }

    /// `2026-11-30T08:00:00.123Z  held  for 3000 ms`.
    private static func line(_ step: JSONNode) -> String {
        var parts: [String] = []
        var time = ""
        var name = ""
        for (key, value) in step.members {
            switch key {
            case "at_ms": time = value.integer.map { Timestamp.text(millisecondsSince1970: $0) } ?? "?"
            case "step": name = spaced(value.string ?? "?")
            default: if let part = part(key, value) { parts.append(part) }
            }
        }
        return parts.isEmpty ? "\(time)  \(name)" : "\(time)  \(name): \(parts.joined(separator: ", "))"
    }

    private static func part(_ key: String, _ value: JSONNode) -> String? {
        if let text = value.string { return text.isEmpty ? nil : "\(spaced(key)) \(FrameLine.oneLine(text))" }
        if let flag = value.bool { return flag ? spaced(key) : "not \(spaced(key))" }
        guard let number = value.integer else { return nil }
        if key.hasSuffix("_at_ms") {
            return "\(spaced(String(key.dropLast(3)))) \(Timestamp.text(millisecondsSince1970: number))"
        }
        if key.hasSuffix("_ms") { return "\(spaced(String(key.dropLast(3)))) \(number) ms" }
        return "\(spaced(key)) \(number)"
    }

    private static func spaced(_ word: String) -> String {
        FrameLine.oneLine(String(word.map { $0 == "_" ? " " : $0 }))
    }
}
