import Glibc

/// The server programs of this machine, and the user they run as.
struct PostgresInstallation: Sendable {
    /// An account to drop to; nil when we are not root and run Postgres as ourselves.
    struct Account: Sendable {
        let name: String
        let uid: uid_t
        let gid: gid_t
    }

    let binaries: String
    let account: Account?
    /// Our own user's name, which the database maps to its owner.
    let ownName: String

    /// The newest version under `/usr/lib/postgresql`, else the first in the PATH.
    static func find() throws(EmbeddedPostgresError) -> PostgresInstallation {
        let packaged = LocalFiles.matches(of: "/usr/lib/postgresql/*/bin/postgres").max {
            version($0) < version($1)
        }
        guard let program = packaged ?? inPath("postgres") else { throw .notInstalled }
        let binaries = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let isRoot = geteuid() == 0
        let account = isRoot ? account(named: "postgres") : nil
        if isRoot, account == nil { throw .noUnprivilegedUser }
        return PostgresInstallation(
            binaries: binaries.joined(separator: "/"), account: account, ownName: ownName())
    }

    /// The command line that runs a program of the installation, ended by our own end and without privileges.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        var words = ["/usr/bin/setpriv", "--nnp", "--pdeathsig=INT"]
        if let account {
            words += ["--reuid=\(account.uid)", "--regid=\(account.gid)", "--clear-groups"]
            words += ["--inh-caps=-all", "--bounding-set=-all"]
        }
        return words + ["--", "\(binaries)/\(program)"] + arguments
    }

    private static func version(_ path: String) -> Int {
        path.split(separator: "/").compactMap { Int($0) }.first ?? 0
    }

    private static func inPath(_ program: String) -> String? {
        guard let path = unsafe getenv("PATH") else { return nil }
        return unsafe String(cString: path).split(separator: ":").map { "\($0)/\(program)" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    private static func account(named name: String) -> Account? {
        guard let entry = unsafe getpwnam(name) else { return nil }
        return unsafe Account(name: name, uid: entry.pointee.pw_uid, gid: entry.pointee.pw_gid)
    }

    private static func ownName() -> String {
        guard let entry = unsafe getpwuid(geteuid()) else { return "root" }
        return unsafe String(cString: entry.pointee.pw_name)
    }
}
