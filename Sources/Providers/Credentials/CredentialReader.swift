import Wire

/// Reads the members of a credential's JSON, naming the one that cannot be taken.
struct CredentialReader {
    private let root: JSONNode
    private let prefix: String

    /// Reads an object; every member must be among `known`, unless `known` is nil.
    init(_ json: [UInt8], known: Set<String>?) throws(CredentialError) {
        guard let document = try? JSONDocument(parsing: json), document.root.kind == .object else {
            throw CredentialError(field: "body", problem: "is no JSON object")
        }
        try self.init(document.root, prefix: "", known: known)
    }

    private init(_ root: JSONNode, prefix: String, known: Set<String>?) throws(CredentialError) {
        self.root = root
        self.prefix = prefix
        guard let known else { return }
        for (key, _) in root.members where !known.contains(key) {
            throw CredentialError(field: prefix + key, problem: "is not known")
        }
    }

    func object(_ key: String) throws(CredentialError) -> CredentialReader {
        guard let node = root[key], node.kind == .object else { throw error(key, "must be an object") }
        return try CredentialReader(node, prefix: prefix + key + ".", known: nil)
    }

    func string(_ key: String) throws(CredentialError) -> String {
        guard let text = root[key]?.string, !text.isEmpty else { throw error(key, "must be a string") }
        guard text.utf8.count <= 16_384 else { throw error(key, "is too long") }
        return text
    }

    func stringIfPresent(_ key: String) -> String? { root[key]?.string }

    func strings(_ key: String) throws(CredentialError) -> [String] {
        guard let node = root[key], node.kind == .array else { throw error(key, "must be a list of strings") }
        var texts: [String] = []
        for element in node.elements {
            guard let text = element.string else { throw error(key, "must be a list of strings") }
            texts.append(text)
        }
        return texts
    }

    func error(_ key: String, _ problem: String) -> CredentialError {
        CredentialError(field: prefix + key, problem: problem)
    }
}
