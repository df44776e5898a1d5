import Glibc

/// Small files of our own: config, keys, what `rouse dev` leaves for the other commands.
enum LocalFile {
    /// Larger ones are none of ours.
    static let largest = 4_194_304

    struct Failure: Error, Equatable, CustomStringConvertible {
        let path: String
        let code: Int32
        var description: String {
            let text = unsafe String(cString: strerror(code))
            return "cannot use \(path): \(text)"
        }
        var isMissing: Bool { code == ENOENT }
    }

    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure(path: path, code: errno) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= largest else { throw Failure(path: path, code: EFBIG) }
        }
    }

    /// The text of a file without the blanks and line ends around it.
    static func readText(_ path: String) throws(Failure) -> String {
        let bytes = try read(path)
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        guard let first = bytes.firstIndex(where: { !blanks.contains($0) }),
            let last = bytes.lastIndex(where: { !blanks.contains($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// Replaces the file in one step: a reader sees the old content or the new, and nobody else may read it.
    static func writePrivately(_ bytes: [UInt8], to path: String) throws(Failure) {
        let draft = "\(path).new"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: draft, code: errno) }
        let failure = write(bytes, to: descriptor)
        close(descriptor)
        guard failure == 0 else { throw Failure(path: draft, code: failure) }
        guard unsafe rename(draft, path) == 0 else { throw Failure(path: path, code: errno) }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    /// Makes a directory and those above it.
    static func makeDirectory(_ path: String) throws(Failure) {
        if unsafe mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        let code = errno
        guard code == ENOENT, let parent = directory(of: path) else { throw Failure(path: path, code: code) }
        try makeDirectory(parent)
        guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw Failure(path: path, code: errno)
        }
    }

    /// The directory that holds a path; nil for a bare name.
    static func directory(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }
}
