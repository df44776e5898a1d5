import Glibc

/// A directory that lives as long as one run.
enum FreshDirectory {
    static func make() throws(CommandFailure) -> String {
        var template = Array("/tmp/rouse-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, unsafe mkdtemp(base) != nil else { return "" }
            return unsafe String(cString: base)
        }
        guard !made.isEmpty else { throw CommandFailure("cannot make a directory in /tmp") }
        return made
    }

    /// With all that is in it; links are removed, not followed.
    static func remove(_ path: String) {
        for name in names(in: path) {
            let inner = "\(path)/\(name)"
            if unsafe unlink(inner) != 0 { remove(inner) }
        }
        _ = unsafe rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { place in
                unsafe place.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
