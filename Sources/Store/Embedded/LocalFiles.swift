import Glibc

/// Small files and directories, by plain system calls: errors are errno numbers.
enum LocalFiles {
    struct Failure: Error {
        let path: String
        let code: Int32
        var text: String { unsafe String(cString: strerror(code)) }
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Nil if there is no such file.
    static func read(_ path: String, limit: Int = 65_536) throws(Failure) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure(path: path, code: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let taken = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), limit - count)
            }
            if taken < 0, errno == EINTR { continue }
            guard taken >= 0 else { throw Failure(path: path, code: errno) }
            if taken == 0 { break }
            count += taken
        }
        return Array(bytes[..<count])
    }

    /// Writes a new file and forces it to disk; fails if there is one already, unless `replacing`.
    static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t, replacing: Bool = false
    ) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL)
        let descriptor = unsafe open(path, flags, mode)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Failure(path: path, code: errno) }
            rest = rest.dropFirst(written)
        }
        guard fsync(descriptor) == 0 else { throw Failure(path: path, code: errno) }
    }

    /// Makes a directory, with its parents, unless it is there.
    static func makeDirectory(_ path: String, mode: mode_t) throws(Failure) {
        if unsafe mkdir(path, mode) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw Failure(path: path, code: errno)
        }
        try makeDirectory(String(path[..<slash]), mode: 0o755)
        guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else { throw Failure(path: path, code: errno) }
    }

    /// The permission bits.
    static func mode(of path: String) throws(Failure) -> UInt32 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Failure(path: path, code: errno) }
        return status.st_mode & 0o7777
    }

    /// An absolute path, so that a later change of the working directory does not matter.
    static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        guard let buffer = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(buffer) }
        let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return unsafe String(cString: buffer) + "/" + relative
    }

    /// The paths that fit a shell pattern, sorted.
    static func matches(of pattern: String) -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        guard unsafe glob(pattern, 0, nil, &found) == 0 else { return [] }
        return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
            unsafe found.gl_pathv[index].map { unsafe String(cString: $0) }
        }
    }

    /// Takes a lock that ends with this process; nil if another holds it.
    static func lock(_ path: String) throws(Failure) -> Int32? {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        let code = errno
        close(descriptor)
        if code == EWOULDBLOCK { return nil }
        throw Failure(path: path, code: code)
    }
}
