/// Where Postgres is, and the time-outs of every session with it.
package struct PostgresConfiguration: Sendable {
    package enum Endpoint: Sendable {
        /// A `postgresql://` URL or any connection string that libpq reads.
        case url(String)
        /// A private cluster on a Unix socket.
        case socket(directory: String, user: String, database: String)
    }

    package var endpoint: Endpoint
    /// Shown in `pg_stat_activity`; a take-over ends the sessions of the former owner by this name.
    package var applicationName: String
    /// From the first packet to a session that is ready, over all addresses.
    package var connectTimeoutMilliseconds = 5_000
    /// From handing over a batch to its complete answer; then
    /// the connection is closed and its effect unknown.
    package var batchTimeoutMilliseconds = 10_000
    /// Of the server, per statement: shorter than the batch's, so that a slow statement is named.
    package var statementTimeoutMilliseconds = 8_000
    /// Of the server, for a session that stops between statements while it holds locks.
    package var idleInTransactionTimeoutMilliseconds = 3_000
    /// Of the kernel, for bytes that the other side does not acknowledge.
    package var tcpUserTimeoutMilliseconds = 5_000

    /// Further settings of the server for each session.
    package var settings: [String: String] = [:]

    package init(endpoint: Endpoint, applicationName: String = "rouse") {
        self.endpoint = endpoint
        self.applicationName = applicationName
    }

    /// The connection's settings as libpq's keywords.
    var keywords: [String: String] {
        var keywords = [
            "application_name": applicationName,
            "client_encoding": "UTF8",
            "tcp_user_timeout": String(tcpUserTimeoutMilliseconds),
            "keepalives_idle": "5",
            "keepalives_interval": "2",
            "keepalives_count": "3",
            "options": sessionOptions,
        ]
        switch endpoint {
        case .url(let url):
            keywords["dbname"] = url
        case .socket(let directory, let user, let database):
            keywords["host"] = directory
            keywords["user"] = user
            keywords["dbname"] = database
        }
        return keywords
    }

    private var sessionOptions: String {
        var all = settings
        all["statement_timeout"] = String(statementTimeoutMilliseconds)
        all["idle_in_transaction_session_timeout"] = String(idleInTransactionTimeoutMilliseconds)
        all["timezone"] = "UTC"
        return all.sorted { $0.key < $1.key }.map { "-c \($0.key)=\($0.value)" }.joined(separator: " ")
    }
}
