/// One field of a log line: an id, a number or a word of ours; never a device token, a key or message text.
///
/// There is no field for free text on purpose: what cannot be written down here cannot leak.
package struct LogField: Sendable {
    enum Value: Sendable {
        case id(String)
        case number(Int64)
        case word(StaticString)
        case flag(Bool)
    }

    let name: StaticString
    let value: Value

    package static func tenant(_ id: String) -> LogField { LogField(name: "tenant", value: .id(id)) }
    package static func user(_ id: String) -> LogField { LogField(name: "user", value: .id(id)) }
    package static func device(_ id: String) -> LogField { LogField(name: "device", value: .id(id)) }
    package static func message(_ id: String) -> LogField { LogField(name: "message_id", value: .id(id)) }
    package static func address(_ text: String) -> LogField { LogField(name: "address", value: .id(text)) }

    /// An id of another kind, or a name from the configuration.
    package static func id(_ name: StaticString, _ id: String) -> LogField {
        LogField(name: name, value: .id(id))
    }

    /// The description of an error type of ours, which by rule carries ids and codes only.
    package static func fault(_ description: String) -> LogField {
        LogField(name: "fault", value: .id(description))
    }

    /// A count, or a measure with its unit in the name.
    package static func number(_ name: StaticString, _ value: some BinaryInteger) -> LogField {
        LogField(name: name, value: .number(Int64(clamping: value)))
    }

    package static func word(_ name: StaticString, _ value: StaticString) -> LogField {
        LogField(name: name, value: .word(value))
    }

    package static func flag(_ name: StaticString, _ value: Bool) -> LogField {
        LogField(name: name, value: .flag(value))
    }
}
