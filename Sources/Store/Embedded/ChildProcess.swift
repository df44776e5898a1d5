import Glibc

/// A child that was started with nothing of ours but its standard streams.
struct ChildProcess {
    /// What the child finds behind a descriptor above the standard three: opened before it drops privileges.
    struct InheritedDirectory {
        let descriptor: Int32
        let path: String
    }

    let pid: pid_t

    /// Starts a program with a minimal environment, in a process group of its own: ^C in a terminal is ours.
    ///
    /// Signals are reset, because Dispatch's threads block them and a child
    /// would inherit that. `output` takes both output streams, appending.
    static func spawn(
        _ arguments: [String], output: String, directories: [InheritedDirectory] = []
    ) throws(EmbeddedPostgresError) -> ChildProcess {
        closeDescriptorsOnExec()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        for directory in directories {
            unsafe posix_spawn_file_actions_addopen(
                &actions, directory.descriptor, directory.path, O_RDONLY | O_DIRECTORY, 0)
        }
        return try unsafe spawn(arguments, &actions, &attributes)
    }

    private static func spawn(
        _ arguments: [String], _ actions: inout posix_spawn_file_actions_t,
        _ attributes: inout posix_spawnattr_t
    ) throws(EmbeddedPostgresError) -> ChildProcess {
        var pid: pid_t = 0
        var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var environment = unsafe minimalEnvironment.map { unsafe strdup($0) } + [nil]
        defer {
            while let copy = unsafe argv.popLast() { unsafe free(copy) }
            while let copy = unsafe environment.popLast() { unsafe free(copy) }
        }
        let code = unsafe posix_spawn(&pid, arguments[0], &actions, &attributes, &argv, &environment)
        guard code == 0 else { throw .cannotRun(program: arguments[0], code: code) }
        return ChildProcess(pid: pid)
    }

    private static let minimalEnvironment = ["PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]

    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Waits for the end, however long; zero means success, a negative number the signal that killed it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }

    /// Marks what some library left open: the alternative, closing in the child,
    /// is not in Glibc's module. A descriptor that another thread opens right now,
    /// unmarked, would slip through; it would only idle there.
    private static func closeDescriptorsOnExec() {
        guard let directory = unsafe opendir("/proc/self/fd") else { return }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
    }
}
