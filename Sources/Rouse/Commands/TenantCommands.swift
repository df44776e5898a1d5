import Wire

extension Commands {
    private static let adminOptions = [
        ClientSettings.jsonOption, ClientSettings.adminOption, ClientSettings.adminTokenOption,
        ClientSettings.clientOption, ClientSettings.caOption,
    ]

    static let tenantCreate = Command(
        name: "tenant create", operands: .one("NAME"), summary: "Make a tenant",
        options: [.values("policy", "KEY=VALUE", "Set a policy key")] + adminOptions,
        run: { arguments, terminal in
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("tenant", arguments.operands[0])
            try PolicyWords.write(arguments.all("policy"), of: arguments, to: &writer)
            writer.endObject()
            let answer = try await ClientSettings(arguments).admin().json(
                .post, "/admin/tenants", writer.bytes)
            terminal.out(
                arguments.has("json")
                    ? String(decoding: answer.rawBytes, as: UTF8.self)
                    : "tenant \(arguments.operands[0]) is made")
        })

    static let tenantList = Command(
        name: "tenant list", summary: "List the tenants", options: adminOptions,
        run: { arguments, terminal in
            let answer = try await ClientSettings(arguments).admin().json(.get, "/admin/tenants")
            if arguments.has("json") { return terminal.out(String(decoding: answer.rawBytes, as: UTF8.self)) }
            for tenant in answer["tenants"].map({ Array($0.elements) }) ?? [] {
                let mode = tenant["mode"]?.string ?? "live"
                let paused = tenant["paused"]?.bool == true ? ", paused" : ""
                terminal.out("\(tenant["tenant"]?.string ?? "?")  \(mode)\(paused)")
            }
        })

    static let tenantPolicy = Command(
        name: "tenant policy", operands: .some("NAME [KEY=VALUE]", upTo: 64),
        summary: "Show a tenant's policy, or set keys of it", options: adminOptions,
        run: { arguments, terminal in
            let client = try ClientSettings(arguments).admin()
            let path = "/admin/tenants/" + PercentEncoding.encode(arguments.operands[0])
            let words = Array(arguments.operands.dropFirst())
            if !words.isEmpty {
                var writer = JSONWriter()
                writer.beginObject()
                try PolicyWords.write(words, of: arguments, to: &writer)
                writer.endObject()
                try await client.done(.patch, path, writer.bytes)
            }
            let answer = try await client.json(.get, path)
            if arguments.has("json") { return terminal.out(String(decoding: answer.rawBytes, as: UTF8.self)) }
            guard let policy = answer["policy"] else { return }
            for (key, value) in policy.members {
                terminal.out("\(key)=\(value.string ?? String(decoding: value.rawBytes, as: UTF8.self))")
            }
        })
}

/// `push_merge_window_ms=0 time_zone=Asia/Shanghai` as the `policy` member of a body.
enum PolicyWords {
    static func write(
        _ words: [String], of arguments: Arguments, to writer: inout JSONWriter
    ) throws(UsageError) {
        guard !words.isEmpty else { return }
        writer.key("policy")
        writer.beginObject()
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw arguments.problem("\(word) is not KEY=VALUE")
            }
            writer.key(escaping: String(parts[0]))
            switch parts[1] {
            case "true": writer.bool(true)
            case "false": writer.bool(false)
            case let text:
                if let number = Int64(text) { writer.integer(number) } else { writer.string(String(text)) }
            }
        }
        writer.endObject()
    }
}
