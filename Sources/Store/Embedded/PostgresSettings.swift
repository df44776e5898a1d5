import Glibc

/// The settings of the private cluster, given on its command line so that no file can drift from the program.
enum PostgresSettings {
    static func all(socketDirectory: String, isDurable: Bool) -> [String] {
        [
            "listen_addresses=", "unix_socket_directories=\(socketDirectory)", "unix_socket_permissions=0700",
            "superuser_reserved_connections=2", "cluster_name=rouse",
        ] + (isDurable ? durability : haste) + speed + silence
    }

    /// After a crash every file of the cluster is forced to disk before recovery: by `syncfs` in one
    /// call per file system, where `fsync` of each file took four seconds on a busy machine.
    private static let durability = [
        "max_connections=40", "fsync=on", "synchronous_commit=on", "full_page_writes=on", "wal_level=replica",
        "restart_after_crash=on", "recovery_init_sync_method=syncfs", "shared_buffers=\(sharedMegabytes)MB",
    ]

    /// An eighth of the machine's memory, which the server and the kernel's cache share with it: what most
    /// users' rows lie in should be at hand, and read once.
    private static let sharedMegabytes = min(
        4_096, max(128, sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) / 8 / 1_048_576))

    /// A crash of the machine would destroy the cluster, which many tests share.
    private static let haste = [
        "max_connections=200", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
        "wal_level=replica",
        "restart_after_crash=on", "shared_buffers=256MB",
    ]

    /// What is read, is read by key in any plan: small samples of the tables, which grow fast, are enough.
    private static let speed = [
        "wal_compression=lz4", "wal_buffers=16MB", "max_wal_size=2GB",
        "min_wal_size=256MB", "checkpoint_timeout=15min", "checkpoint_completion_target=0.9", "jit=off",
        "max_parallel_workers_per_gather=0", "autovacuum_naptime=15s", "autovacuum_vacuum_cost_delay=0",
        "random_page_cost=1.1", "default_statistics_target=10",
    ]

    /// A log line names an error's kind and constraint, never the statement or the values of a row.
    private static let silence = [
        "timezone=UTC", "log_timezone=UTC", "logging_collector=off", "log_checkpoints=off",
        "log_line_prefix=%m [%p] ", "log_error_verbosity=terse", "log_min_error_statement=panic",
        "log_min_messages=warning",
    ]
}
