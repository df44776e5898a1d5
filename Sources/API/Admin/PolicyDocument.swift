import Domain
import Engine
import Wire

/// A tenant's policy as JSON: only what the operator set, on top of the server's defaults.
struct PolicyDocument: Equatable {
    /// In the order of the table.
    private(set) var overrides: [String: PolicyTable.Value] = [:]

    init() {}

    /// What the store has. A key that this version does not know any more is left out.
    init(stored: [UInt8]) {
        guard let root = (try? JSONDocument(parsing: stored))?.root else { return }
        for (key, node) in root.members where PolicyTable.names.contains(key) {
            overrides[key] = PolicyTable.Value(node)
        }
    }

    /// Takes the members of a request's `policy`; `null` returns a key to its default. A zone that `zones`
    /// does not have is refused.
    mutating func apply(_ node: JSONNode, zones: TimeZones) throws(Problem) {
        for (key, value) in try node.object("policy").members {
            if value.isNull, PolicyTable.names.contains(key) {
                overrides[key] = nil
                continue
            }
            var probe = Policy()
            let read = PolicyTable.Value(value)
            do throws(PolicyTable.Fault) {
                try PolicyTable.set(key, to: read, in: &probe, ofTenant: true)
            } catch {
                throw Self.problem(key, error)
            }
            if key == "time_zone", case .text(let name) = read, zones[name] == nil {
                throw Self.problem(key, .outOfRange("must be a zone of the IANA database"))
            }
            overrides[key] = read
        }
    }

    /// The policy in force.
    func policy(over defaults: Policy) -> Policy {
        var policy = defaults
        for (key, value) in overrides {
            // Checked when it came; what an older version let through keeps the default.
            try? PolicyTable.set(key, to: value, in: &policy, ofTenant: true)
        }
        return policy
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for name in PolicyTable.names {
            if let value = overrides[name] { writer.policy(name, value) }
        }
        writer.endObject()
        return writer.bytes
    }

    private static func problem(_ key: String, _ fault: PolicyTable.Fault) -> Problem {
        switch fault {
        case .unknownKey: .unknownField("policy.\(key)")
        case .notOfTenants:
            Problem(.invalidValue, "policy.\(key) is set for the whole server, in its config.")
        case .wrongType(let expected): Problem(.wrongType, "policy.\(key) must be \(expected).")
        case .outOfRange(let why): Problem(.invalidValue, "policy.\(key) \(why).")
        }
    }
}

extension PolicyTable.Value {
    init(_ node: JSONNode) {
        if let integer = node.integer {
            self = .integer(integer)
        } else if let flag = node.bool {
            self = .flag(flag)
        } else if let text = node.string {
            self = .text(text)
        } else {
            self = .other
        }
    }
}

extension JSONWriter {
    mutating func policy(_ name: String, _ value: PolicyTable.Value) {
        key(escaping: name)
        switch value {
        case .integer(let number): integer(number)
        case .flag(let flag): bool(flag)
        case .text(let text): string(text)
        case .other: null()
        }
    }

    /// Every key with the value in force.
    mutating func policyObject(_ policy: Policy) {
        beginObject()
        for name in PolicyTable.names {
            if let value = PolicyTable.value(name, in: policy) { self.policy(name, value) }
        }
        endObject()
    }
}
