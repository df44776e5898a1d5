import Wire

/// The operator's token in its file: made, readable by the owner only, where there is none.
enum AdminTokenFile {
    static func load(_ path: String) throws -> [UInt8] {
        do {
            let token = try LocalFile.readText(path)
            guard token.utf8.count >= 16 else {
                throw CommandFailure("\(path): an admin token has 16 characters or more")
            }
            return Array(token.utf8)
        } catch let failure as LocalFile.Failure where failure.isMissing {
            let token = Base64URL.encodedBytes(SecureRandom.bytes(count: 32))
            if let directory = LocalFile.directory(of: path) { try LocalFile.makeDirectory(directory) }
            try LocalFile.writePrivately(token + [0x0A], to: path)
            return token
        }
    }
}
