import Wire

/// The OpenAPI 3.1 document of a listener, made from the very table that serves it.
enum OpenAPIDocument {
    /// `GET /openapi.json`; itself part of the document.
    static func route(_ routes: [Route], title: String) -> Route {
        let text = write(routes + [serving([])], title: title)
        return serving(text)
    }

    private static func serving(_ text: [UInt8]) -> Route {
        Route(
            .get, "/openapi.json", "This document.", [Route.Outcome(200, "OpenAPI")],
            .anyone { _, answer throws(Problem) in answer.bytes(text, contentType: "application/json") })
    }

    static func write(_ routes: [Route], title: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 32_768)
        writer.beginObject()
        writer.member("openapi", "3.1.0")
        writer.key("info")
        writer.beginObject()
        writer.member("title", title)
        writer.member("version", "1")
        writer.endObject()
        writer.key("paths")
        writer.beginObject()
        for pattern in Set(routes.map(\.pattern)).sorted() {
            writer.key(escaping: pattern)
            writer.beginObject()
            for route in routes where route.pattern == pattern { write(route, to: &writer) }
            writer.endObject()
        }
        writer.endObject()
        writeComponents(routes, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private static func writeComponents(_ routes: [Route], to writer: inout JSONWriter) {
        writer.key("components")
        writer.beginObject()
        writer.key("schemas")
        writer.beginObject()
        for schema in OpenAPISchemas.needed(by: routes) {
            writer.key(escaping: schema.name)
            writer.raw(Array(schema.json.utf8))
        }
        writer.endObject()
        writer.member("securitySchemes", raw: Array(OpenAPISchemas.securitySchemes.utf8))
        writer.endObject()
    }

    private static func write(_ route: Route, to writer: inout JSONWriter) {
        writer.key(escaping: route.method.text.lowercased())
        writer.beginObject()
        writer.member("summary", route.summary)
        if let scheme = route.securityScheme {
            writer.key("security")
            writer.beginArray()
            writer.beginObject()
            writer.key(escaping: scheme)
            writer.beginArray()
            writer.endArray()
            writer.endObject()
            writer.endArray()
        }
        writeParameters(route, to: &writer)
        writeBody(route.body, to: &writer)
        writeResponses(route, to: &writer)
        writer.endObject()
    }

    private static func writeParameters(_ route: Route, to writer: inout JSONWriter) {
        let named = route.parameterNames.map { ($0, true) } + route.query.map { ($0, false) }
        guard !named.isEmpty else { return }
        writer.key("parameters")
        writer.beginArray()
        for (name, isInPath) in named {
            writer.beginObject()
            writer.member("name", name)
            writer.member("in", isInPath ? "path" : "query")
            if isInPath { writer.member("required", true) }
            let isNumber = ["limit"].contains(name) || (name == "after" && route.pattern == "/v1/mailbox")
            writer.member("schema", raw: Array("{\"type\":\"\(isNumber ? "integer" : "string")\"}".utf8))
            writer.endObject()
        }
        writer.endArray()
    }

    private static func writeBody(_ body: Route.Body, to writer: inout JSONWriter) {
        let contents: [(String, String)]
        switch body {
        case .none: return
        case .json(let schema): contents = [("application/json", schema)]
        case .messages: contents = [("application/json", "Message"), ("application/x-ndjson", "Message")]
        }
        writer.key("requestBody")
        writer.beginObject()
        writer.member("required", true)
        writer.key("content")
        writer.beginObject()
        for (type, schema) in contents { writeContent(type, schema, to: &writer) }
        writer.endObject()
        writer.endObject()
    }

    private static func writeContent(_ type: String, _ schema: String, to writer: inout JSONWriter) {
        writer.key(escaping: type)
        writer.beginObject()
        writer.key("schema")
        writer.beginObject()
        writer.member("$ref", "#/components/schemas/\(schema)")
        writer.endObject()
        writer.endObject()
    }

    private static func writeResponses(_ route: Route, to writer: inout JSONWriter) {
        writer.key("responses")
        writer.beginObject()
        for outcome in route.outcomes {
            writer.key(escaping: String(outcome.status))
            writer.beginObject()
            writer.member("description", "\(HTTPResponse.reasonPhrase(outcome.status))")
            if let schema = outcome.schema { writeContents(outcome.contentType, schema, to: &writer) }
            writer.endObject()
        }
        writer.key("default")
        writer.beginObject()
        writer.member("description", "An error")
        writeContents(Problem.contentType, "Problem", to: &writer)
        writer.endObject()
        writer.endObject()
    }

    private static func writeContents(_ type: String, _ schema: String, to writer: inout JSONWriter) {
        writer.key("content")
        writer.beginObject()
        writeContent(type, schema, to: &writer)
        writer.endObject()
    }
}

extension Route {
    /// The name of the security scheme, nil where no credential is asked for.
    fileprivate var securityScheme: String? {
        switch handler {
        case .anyone: nil
        case .backend: "apiKey"
        case .device: "deviceCredential"
        case .administrator: "adminToken"
        }
    }
}

extension Route.Outcome {
    fileprivate var contentType: String {
        switch schema {
        case "Problem": Problem.contentType
        case "AcceptedLines": "application/x-ndjson"
        case "Metrics": "text/plain"
        default: "application/json"
        }
    }
}
