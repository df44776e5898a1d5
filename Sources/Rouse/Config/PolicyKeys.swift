import API
import Domain
import Wire

/// The keys of the config's `policy` section: those of the API's table, and of no other.
enum PolicyKeys {
    static var names: [String] { PolicyTable.names }

    static func set(_ name: String, _ value: ConfigValue, in policy: inout Policy) throws(ConfigComplaint) {
        do throws(PolicyTable.Fault) {
            try PolicyTable.set(name, to: read(value), in: &policy, ofTenant: false)
        } catch {
            throw ConfigComplaint(text(error, name))
        }
    }

    /// A variable's text becomes a number or a Boolean where it
    /// is one; no key takes a text that looks like either.
    private static func read(_ value: ConfigValue) -> PolicyTable.Value {
        switch value {
        case .variable("true"): .flag(true)
        case .variable("false"): .flag(false)
        case .variable(let text): Int64(text).map { .integer($0) } ?? .text(text)
        case .file(let value):
            switch value.content {
            case .integer(let number): .integer(number)
            case .bool(let flag): .flag(flag)
            case .string(let text): .text(text)
            default: .other
            }
        }
    }

    private static func text(_ fault: PolicyTable.Fault, _ name: String) -> String {
        switch fault {
        case .unknownKey:
            "unknown key"
                + (Spelling.nearest(to: name, among: names).map { "; did you mean policy.\($0)?" } ?? "")
        case .notOfTenants: "is not for tenants"
        case .wrongType(let expected): "expected \(expected)"
        case .outOfRange(let why): why
        }
    }
}
