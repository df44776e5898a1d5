import Wire

/// The file that holds the master key in base64, readable by its owner only.
package enum MasterKeyFile {
    private static let mode: UInt32 = 0o600

    /// Reads the key, or makes one for a database that was never used with any.
    ///
    /// - Parameter known: the ids of the keys that the database was used with; the file's must be among them.
    package static func load(_ path: String, known: [String]) throws(MasterKeyError) -> MasterKey {
        guard let key = try read(path) else {
            guard known.isEmpty else { throw .missing(path: path, needed: known) }
            return try make(path)
        }
        guard known.isEmpty || known.contains(key.id) else {
            throw .wrongKey(path: path, found: key.id, needed: known)
        }
        return key
    }

    private static func read(_ path: String) throws(MasterKeyError) -> MasterKey? {
        let text: [UInt8]
        let mode: UInt32
        do throws(LocalFiles.Failure) {
            guard let bytes = try LocalFiles.read(path, limit: 4_096) else { return nil }
            text = bytes
            mode = try LocalFiles.mode(of: path)
        } catch { throw .unreadable(path: path, problem: error.text) }
        guard mode & 0o077 == 0 else { throw .tooOpen(path: path) }
        let line = text.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard let bytes = Base64.decode(line), bytes.count == MasterKey.byteCount else {
            throw .malformed(path: path)
        }
        return MasterKey(bytes: bytes)
    }

    private static func make(_ path: String) throws(MasterKeyError) -> MasterKey {
        let bytes = SecureRandom.bytes(count: MasterKey.byteCount)
        do throws(LocalFiles.Failure) {
            try LocalFiles.write(Array((Base64.encode(bytes) + "\n").utf8), to: path, mode: mode)
        } catch { throw .unreadable(path: path, problem: error.text) }
        return MasterKey(bytes: bytes)
    }
}

/// Why there is no master key; names key ids, never a key.
package enum MasterKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    case missing(path: String, needed: [String])
    case wrongKey(path: String, found: String, needed: [String])
    case unreadable(path: String, problem: String)
    case tooOpen(path: String)
    case malformed(path: String)
    case database(DatabaseError)

    package var description: String {
        switch self {
        case .missing(let path, let needed):
            "\(path): there is no master key, and the database was sealed with key \(needed.joined(separator: ", "))"
        case .wrongKey(let path, let found, let needed):
            "\(path): this is master key \(found), the database was sealed with \(needed.joined(separator: ", "))"
        case .unreadable(let path, let problem): "\(path): \(problem)"
        case .tooOpen(let path): "\(path): others may read the master key: chmod 600"
        case .malformed(let path): "\(path): not 32 bytes in base64"
        case .database(let error): "the master key could not be checked: \(error)"
        }
    }
}
