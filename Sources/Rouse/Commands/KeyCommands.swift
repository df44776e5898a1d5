import Wire

extension Commands {
    private static let options: [CommandOption] = [
        .value("tenant", "NAME", "The tenant (ROUSE_TENANT)"), ClientSettings.jsonOption,
        ClientSettings.adminOption, ClientSettings.adminTokenOption, ClientSettings.clientOption,
        ClientSettings.caOption,
    ]

    static let keyCreate = Command(
        name: "key create", summary: "Make an API key; it is shown once",
        options: [.value("name", "TEXT", "What it is for (backend)")] + options,
        run: { arguments, terminal in
            let settings = try ClientSettings(arguments)
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("name", arguments["name"] ?? "backend")
            writer.endObject()
            let answer = try await settings.admin().json(.post, path(settings, "api_keys"), writer.bytes)
            if arguments.has("json") { return terminal.out(String(decoding: answer.rawBytes, as: UTF8.self)) }
            terminal.out(answer["key"]?.string ?? "?")
        })

    static let keyList = Command(
        name: "key list", summary: "List the API keys by their prefixes", options: options,
        run: { arguments, terminal in
            let settings = try ClientSettings(arguments)
            let answer = try await settings.admin().json(.get, path(settings, "api_keys"))
            if arguments.has("json") { return terminal.out(String(decoding: answer.rawBytes, as: UTF8.self)) }
            let list = answer["api_keys"] ?? answer["keys"] ?? answer
            for key in list.elements {
                terminal.out(
                    "\(key["prefix"]?.string ?? "?")  \(key["created_at"]?.string ?? "?")  "
                        + FrameLine.oneLine(key["name"]?.string ?? ""))
            }
        })

    static let keyRevoke = Command(
        name: "key revoke", operands: .one("PREFIX"), summary: "Revoke an API key at once", options: options,
        run: { arguments, terminal in
            let settings = try ClientSettings(arguments)
            let prefix = PercentEncoding.encode(arguments.operands[0])
            try await settings.admin().done(.delete, path(settings, "api_keys/\(prefix)"))
            terminal.out("\(arguments.operands[0]) is revoked")
        })

    static let keyClient = Command(
        name: "key client", summary: "Set the tenant's client key, which signs device credentials",
        options: [
            .value("kid", "ID", "The key's id (default)"),
            .value("secret-file", "FILE", "An HS256 secret, base64url, 32 bytes or more; else one is made"),
            .value("public-key-file", "FILE", "An ES256 public key, PEM"),
        ] + options,
        details: "Replaces all client keys of the tenant. A secret that is made is shown once.",
        run: { arguments, terminal in
            let settings = try ClientSettings(arguments)
            let (body, made) = try clientKeys(arguments)
            try await settings.admin().done(.put, path(settings, "client_keys"), body)
            terminal.out(made ?? "client key is set")
        })

    private static func path(_ settings: ClientSettings, _ rest: String) throws -> String {
        "/admin/tenants/\(PercentEncoding.encode(try settings.tenant()))/\(rest)"
    }

    /// The body, and the secret if it was made here.
    private static func clientKeys(_ arguments: Arguments) throws -> (body: [UInt8], made: String?) {
        let id = arguments["kid"] ?? "default"
        if let path = arguments["public-key-file"] {
            return (ClientKeyBody.es256(id, try LocalFile.readText(path)), nil)
        }
        if let path = arguments["secret-file"] {
            return (ClientKeyBody.hs256(id, try LocalFile.readText(path)), nil)
        }
        let secret = Base64URL.encode(SecureRandom.bytes(count: 32))
        return (ClientKeyBody.hs256(id, secret), secret)
    }
}

/// The body of `PUT …/client_keys` with one key.
enum ClientKeyBody {
    static func hs256(_ id: String, _ secret: String) -> [UInt8] { body(id, "HS256", "secret", secret) }

    static func es256(_ id: String, _ pem: String) -> [UInt8] { body(id, "ES256", "public_key", pem + "\n") }

    private static func body(_ id: String, _ algorithm: String, _ name: StaticString, _ key: String)
        -> [UInt8]
    {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("keys")
        writer.beginArray()
        writer.beginObject()
        writer.member("kid", id)
        writer.member("alg", algorithm)
        writer.member(name, key)
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
