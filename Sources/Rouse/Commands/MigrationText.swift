import Store
import Wire

/// The steps of the schema, for people and for programs.
enum MigrationText {
    static func lines(_ status: [MigrationStatus]) -> String {
        status.map { "\($0.number) \($0.name): \($0.state.rawValue)" }.joined(separator: "\n")
    }

    static func json(_ status: [MigrationStatus]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("migrations")
        writer.beginArray()
        for step in status {
            writer.beginObject()
            writer.member("number", step.number)
            writer.member("name", step.name)
            writer.member("state", step.state.rawValue)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
