import Domain

/// The keys of the config's `policy` section: those of the API's policy.
enum PolicyKeys {
    static let names: [String] = []

    static func set(_ name: String, _ value: ConfigValue, in policy: inout Policy) throws(ConfigComplaint) {
        throw ConfigComplaint("unknown key")
    }
}
