import Glibc

/// What the C library's allocator is told for a process that serves.
///
/// A batch makes objects by the thousand and frees them at its end. By default a thread keeps seven freed
/// blocks of each size; each further one is merged with its neighbours, and cut out again for the next batch:
/// a tenth of what the server did (docs/decisions/0024).
enum Allocator {
    /// So many freed blocks of each size, up to 1 KiB, stay with their thread: twice the recipients of a
    /// batch.
    private static let blocksKept = "glibc.malloc.tcache_count=4000"
    private static let variable = "GLIBC_TUNABLES"

    /// Starts this program anew, once, with its arguments: the allocator reads its settings before `main`.
    ///
    /// To be called on the first thread, before there is another or anything is open. Returns where that was
    /// done already, where the environment says something else of `tcache_count`, and where the program
    /// cannot be started again: then it is slower.
    static func keepFreedBlocks() {
        let former = ProcessEnvironment.variables[variable]
        guard former?.contains("tcache_count") != true, let program = programPath() else { return }
        unsafe setenv(variable, former.map { "\($0):\(blocksKept)" } ?? blocksKept, 1)
        unsafe execv(program, CommandLine.unsafeArgv)
        if let former { unsafe setenv(variable, former, 1) } else { unsafe unsetenv(variable) }
    }

    /// By its own name, which is what a list of processes shows.
    private static func programPath() -> String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        guard count > 0, count < path.count else { return nil }
        return String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
