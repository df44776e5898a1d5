import Glibc

/// The directory of a private cluster: its layout, its making, and the command that runs it.
///
///     DIRECTORY/lock           held while a server uses the directory
///     DIRECTORY/postgres       the cluster, of the user that runs Postgres
///     DIRECTORY/run            the socket's directory, nobody else's
///     DIRECTORY/postgres.log   what Postgres says: no statements, no values
///
/// Started by root, Postgres runs as `postgres`, who may not be able to reach the directory (a clone in
/// `/root`): it then gets the two directories as descriptors, and their names under `/proc/self/fd`.
struct PostgresCluster: Sendable {
    static let role = "rouse"
    /// `sun_path` holds 108 bytes, its end included.
    static let socketPathLimit = 107

    let directory: String
    let installation: PostgresInstallation
    let isDurable: Bool

    var data: String { directory + "/postgres" }
    var run: String { directory + "/run" }
    var log: String { directory + "/postgres.log" }
    var lock: String { directory + "/lock" }
    private var unfinished: String { directory + "/postgres.new" }

    init(
        directory: String, installation: PostgresInstallation, isDurable: Bool
    ) throws(EmbeddedPostgresError) {
        self.directory = LocalFiles.absolute(directory)
        self.installation = installation
        self.isDurable = isDurable
        let socket = run + "/.s.PGSQL.5432"
        guard socket.utf8.count <= Self.socketPathLimit else {
            throw .socketPathTooLong(path: socket, limit: Self.socketPathLimit)
        }
    }

    /// Makes the directories, and the cluster if there is none. A cluster left half made is made anew.
    func prepare() throws(EmbeddedPostgresError) {
        try attempt { () throws(LocalFiles.Failure) in
            try LocalFiles.makeDirectory(directory, mode: 0o755)
            try makeOwnDirectory(run)
        }
        guard !LocalFiles.exists(data) else { return }
        try discardUnfinished()
        try attempt { () throws(LocalFiles.Failure) in try makeOwnDirectory(unfinished) }
        let initdb = installation.command(
            "initdb",
            [
                "-D", seen(unfinished, as: 3), "-U", Self.role, "--encoding=UTF8", "--locale=C",
                "--data-checksums", "--auth-local=peer", "--auth-host=reject", "--no-instructions",
            ] + (isDurable ? [] : ["--no-sync"]))
        let code = try ChildProcess.spawn(initdb, output: log, directories: inherited(unfinished)).wait()
        guard code == 0 else { throw .initialisationFailed(code: code, log: log) }
        try attempt { () throws(LocalFiles.Failure) in
            try writeAccessRules(in: unfinished)
            guard unsafe rename(unfinished, data) == 0 else {
                throw LocalFiles.Failure(path: data, code: errno)
            }
        }
    }

    /// Runs the server in the foreground.
    func start() throws(EmbeddedPostgresError) -> ChildProcess {
        let settings = PostgresSettings.all(socketDirectory: seen(run, as: 4), isDurable: isDurable).flatMap {
            ["-c", $0]
        }
        let command = installation.command("postgres", ["-D", seen(data, as: 3)] + settings)
        return try ChildProcess.spawn(command, output: log, directories: inherited(data))
    }

    /// The process in `postmaster.pid`, if the file is there.
    var postmaster: (pid: pid_t, isReady: Bool)? {
        guard let bytes = try? LocalFiles.read(data + "/postmaster.pid") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard let pid = lines.first.flatMap({ pid_t($0) }) else { return nil }
        return (pid, lines.count > 7 && lines[7].hasPrefix("ready"))
    }

    // MARK: Details

    private func seen(_ path: String, as descriptor: Int32) -> String {
        installation.account == nil ? path : "/proc/self/fd/\(descriptor)"
    }

    private func inherited(_ data: String) -> [ChildProcess.InheritedDirectory] {
        guard installation.account != nil else { return [] }
        return [.init(descriptor: 3, path: data), .init(descriptor: 4, path: run)]
    }

    private func makeOwnDirectory(_ path: String) throws(LocalFiles.Failure) {
        try LocalFiles.makeDirectory(path, mode: 0o700)
        try giveAway(path)
    }

    private func giveAway(_ path: String) throws(LocalFiles.Failure) {
        guard let account = installation.account else { return }
        guard unsafe chown(path, account.uid, account.gid) == 0 else {
            throw LocalFiles.Failure(path: path, code: errno)
        }
    }

    /// Only our own user, and the one that runs Postgres, come in, and only through the socket.
    private func writeAccessRules(in data: String) throws(LocalFiles.Failure) {
        let users = Set([installation.ownName, installation.account?.name ?? installation.ownName])
        let map = users.sorted().map { "rouse \($0) \(Self.role)\n" }.joined()
        for (name, text) in [("pg_hba.conf", "local all all peer map=rouse\n"), ("pg_ident.conf", map)] {
            let path = "\(data)/\(name)"
            try LocalFiles.write(Array(text.utf8), to: path, mode: 0o600, replacing: true)
            try giveAway(path)
        }
    }

    private func discardUnfinished() throws(EmbeddedPostgresError) {
        guard LocalFiles.exists(unfinished) else { return }
        _ = try ChildProcess.spawn(["/bin/rm", "-rf", "--", unfinished], output: log).wait()
    }

    private func attempt(_ work: () throws(LocalFiles.Failure) -> Void) throws(EmbeddedPostgresError) {
        do { try work() } catch { throw .directory(path: error.path, problem: error.text) }
    }
}
