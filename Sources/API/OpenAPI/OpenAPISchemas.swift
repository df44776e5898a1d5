/// The schemas of the interface's bodies, by name.
enum OpenAPISchemas {
    struct Schema {
        let name: String
        let json: String
    }

    static let securitySchemes =
        #"{"apiKey":{"type":"http","scheme":"bearer","bearerFormat":"rk_"},"#
        + #""deviceCredential":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},"#
        + #""adminToken":{"type":"http","scheme":"bearer"}}"#

    static let all = PublicSchemas.all + CallSchemas.all + AdminSchemas.all

    /// What the routes name, and what those name, in the order of `all`.
    static func needed(by routes: [Route]) -> [Schema] {
        var names: Set<String> = ["Problem"]
        for route in routes {
            names.formUnion(route.outcomes.compactMap(\.schema))
            switch route.body {
            case .none: break
            case .json(let schema): names.insert(schema)
            case .messages: names.insert("Message")
            }
        }
        var before = 0
        while before != names.count {
            before = names.count
            for schema in all where names.contains(schema.name) {
                for other in all where schema.json.contains("/\(other.name)\"") { names.insert(other.name) }
            }
        }
        return all.filter { names.contains($0.name) }
    }
}
