import Glibc

/// Small files, by plain system calls.
enum LocalFiles {
    /// Nil if it cannot be read: a process that has ended, a file that is not there yet.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    static func readText(_ path: String) -> String? {
        read(path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Replaces the file in one step; nobody else may read it.
    static func write(_ bytes: [UInt8], to path: String) throws(LoadtestFailure) {
        let draft = "\(path).new"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("write", path) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                close(descriptor)
                throw failure("write", path)
            }
            rest = rest.dropFirst(count)
        }
        close(descriptor)
        guard unsafe rename(draft, path) == 0 else { throw failure("write", path) }
    }

    /// A new directory of our own under `TMPDIR` or `/tmp`, removed at the end of the run.
    static func makeScratchDirectory() throws(LoadtestFailure) -> String {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/rouse-loadtest-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw failure("make", parent) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        Cleanup.remove(directory: path)
        return path
    }

    static func makeDirectory(_ path: String) throws(LoadtestFailure) {
        guard unsafe mkdir(path, 0o700) == 0 else { throw failure("make", path) }
    }

    /// The names in a directory; empty if it cannot be read.
    static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                })
        }
        return names
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private static func failure(_ verb: String, _ path: String) -> LoadtestFailure {
        let reason = unsafe String(cString: strerror(errno))
        return LoadtestFailure("cannot \(verb) \(path): \(reason)")
    }
}
