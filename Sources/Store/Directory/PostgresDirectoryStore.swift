package import Domain
package import Engine

/// Tenants, keys, credentials and recorded outcomes, over a pool of its own.
package struct PostgresDirectoryStore: DirectoryStore {
    /// How much of a tenant is deleted at a time.
    private static let usersAtATime: Int32 = 100
    private static let messagesAtATime: Int32 = 5_000

    private let pool: PostgresPool

    package init(_ pool: PostgresPool) {
        self.pool = pool
    }

    package func loadDirectory() async throws(StoreFailure) -> StoredDirectory {
        var batch = StatementBatch()
        for query: Query in [.listTenants, .listApiKeys, .listClientKeys, .listProviderCredentials] {
            batch.add(query)
        }
        let answers = try await run(batch)
        var directory = StoredDirectory()
        directory.tenants = answers[0].map { $0.tenant() }
        directory.apiKeys = answers[1].map { $0.apiKey() }
        directory.clientKeys = answers[2].map { $0.clientKey() }
        directory.providers = answers[3].map { $0.providerCredential() }
        return directory
    }

    package func recall(_ message: MessageName, at time: WallTime) async throws(StoreFailure) -> Bool {
        let rows = try await run(.recallMessage) {
            $0.int8(message.tenant.raw)
            $0.text(message.message.text)
            $0.timestamp(time)
        }
        return rows.first { $0.bool() } ?? false
    }

    // MARK: Tenants

    package func createTenant(_ tenant: StoredTenant) async throws(StoreFailure) -> Bool {
        let rows = try await run(.insertTenant) {
            $0.int8(tenant.key.raw)
            $0.text(tenant.name.text)
            $0.bytea(tenant.policy)
            $0.bool(tenant.isPaused)
            $0.text(tenant.mode)
            $0.timestamp(tenant.createdAt)
        }
        return rows.affectedRowCount == 1
    }

    package func updateTenant(_ tenant: StoredTenant) async throws(StoreFailure) {
        _ = try await run(.updateTenant) {
            $0.int8(tenant.key.raw)
            $0.bytea(tenant.policy)
            $0.bool(tenant.isPaused)
            $0.text(tenant.mode)
        }
    }

    /// All that is kept of the tenant goes, in many small transactions and the tenant last, so that no
    /// statement takes long; after a failure in between the call can be repeated.
    package func deleteTenant(_ tenant: TenantKey) async throws(StoreFailure) {
        while true {
            let users = try await run(.listTenantUsers) {
                $0.int8(tenant.raw)
                $0.int4(Self.usersAtATime)
            }.map { $0.int8() }
            if users.isEmpty { break }
            try await deleteUsers(users)
        }
        while true {
            let gone = try await run(.deleteTenantMessages) {
                $0.int8(tenant.raw)
                $0.int4(Self.messagesAtATime)
            }
            if gone.affectedRowCount == 0 { break }
        }
        _ = try await run(.deleteTenant) { $0.int8(tenant.raw) }
    }

    private func deleteUsers(_ users: [Int64]) async throws(StoreFailure) {
        var batch = StatementBatch(.transaction)
        for query: Query in [.deleteUserTasks, .deleteUserOutcomes, .deleteUserEntries, .deleteUsers] {
            batch.add(query) { $0.int8s(users) { $0 } }
        }
        batch.add(.appendGoneDigests) { $0.int8s(users) { $0 } }
        _ = try await run(batch)
    }

    // MARK: Keys and credentials

    package func insertAPIKey(_ key: StoredAPIKey) async throws(StoreFailure) {
        _ = try await run(.insertApiKey) {
            $0.int8(key.tenant.raw)
            $0.text(key.prefix)
            $0.bytea(key.hash)
            $0.text(key.name)
            $0.timestamp(key.createdAt)
        }
    }

    package func deleteAPIKey(_ tenant: TenantKey, prefix: String) async throws(StoreFailure) -> Bool {
        let rows = try await run(.deleteApiKey) {
            $0.int8(tenant.raw)
            $0.text(prefix)
        }
        return rows.affectedRowCount == 1
    }

    package func replaceClientKeys(
        _ tenant: TenantKey, _ keys: [StoredClientKey]
    ) async throws(StoreFailure) {
        var batch = StatementBatch(.transaction)
        batch.add(.deleteClientKeys) { $0.int8(tenant.raw) }
        batch.add(.insertClientKeys) {
            $0.int8(tenant.raw)
            $0.texts(keys) { $0.kid }
            $0.texts(keys) { $0.algorithm }
            $0.byteas(keys) { $0.sealed }
        }
        _ = try await run(batch)
    }

    package func putProviderCredential(
        _ credential: StoredProviderCredential
    ) async throws(StoreFailure) {
        _ = try await run(.putProviderCredential) {
            $0.int8(credential.tenant.raw)
            $0.text(credential.provider)
            $0.bytea(credential.summary)
            $0.bytea(credential.sealed)
            $0.timestamp(credential.createdAt)
        }
    }

    package func deleteProviderCredential(
        _ tenant: TenantKey, provider: String
    ) async throws(StoreFailure) -> Bool {
        let rows = try await run(.deleteProviderCredential) {
            $0.int8(tenant.raw)
            $0.text(provider)
        }
        return rows.affectedRowCount == 1
    }

    package func loadProviderToken(
        _ tenant: TenantKey, keyID: String
    ) async throws(StoreFailure) -> StoredProviderToken? {
        let rows = try await run(.loadProviderToken) {
            $0.int8(tenant.raw)
            $0.text(keyID)
        }
        return rows.first {
            StoredProviderToken(tenant: tenant, keyID: keyID, issuedAt: $0.timestamp(), sealed: $0.bytea())
        }
    }

    package func saveProviderToken(_ token: StoredProviderToken) async throws(StoreFailure) {
        _ = try await run(.saveProviderToken) {
            $0.int8(token.tenant.raw)
            $0.text(token.keyID)
            $0.timestamp(token.issuedAt)
            $0.bytea(token.sealed)
        }
    }

    // MARK: Look-ups

    package func tokenHolders(
        _ tenant: TenantKey, lookups: [[UInt8]]
    ) async throws(StoreFailure) -> [TokenHolder] {
        let rows = try await run(.findTokenHolders) {
            $0.int8(tenant.raw)
            $0.byteas(lookups) { $0 }
        }
        return rows.map {
            TokenHolder(user: UserID($0.text()), device: DeviceID($0.text()), lookup: $0.bytea())
        }
    }

    package func outcomes(
        of message: MessageName, user: UserID
    ) async throws(StoreFailure) -> StoredExplanation? {
        var batch = StatementBatch()
        for query: Query in [.explainEntry, .explainOutcomes] {
            batch.add(query) {
                $0.int8(message.tenant.raw)
                $0.text(message.message.text)
                $0.text(user.text)
            }
        }
        let answers = try await run(batch)
        let outcomes = answers[1].map { $0.storedOutcome() }
        return answers[0].first {
            StoredExplanation(
                seq: $0.int8(), materialisedAt: $0.timestamp(), mention: $0.mention(),
                sender: UserID($0.text()),
                wantsPush: $0.bool(), outcomes: outcomes)
        }
    }

    package func cancelCall(
        _ call: CallName, reason: String, callee: UserID?
    ) async throws(StoreFailure) -> [UserID]? {
        let rows = try await run(.cancelCall) {
            $0.int8(call.tenant.raw)
            $0.text(call.call.text)
            $0.text(reason)
            $0.text(callee?.text)
        }
        let found = rows.map { $0.textOrNil().map { UserID($0) } }
        let users = found.compactMap(\.self)
        return found.isEmpty || callee != nil && users.isEmpty ? nil : users
    }

    package func check() async throws(StoreFailure) {
        let newest = try await run(.readSchemaVersion).first { Int($0.int4()) } ?? 0
        guard newest == Migration.all.count else {
            throw .failed("the schema is at migration \(newest), this program's at \(Migration.all.count)")
        }
    }

    // MARK: Details

    private func run(_ batch: StatementBatch) async throws(StoreFailure) -> [Rows] {
        do throws(DatabaseError) { return try await pool.execute(batch) } catch { throw StoreFailure(error) }
    }

    private func run(
        _ query: Query, _ encode: (inout ParameterWriter) -> Void = { _ in }
    ) async throws(StoreFailure) -> Rows {
        do throws(DatabaseError) { return try await pool.execute(query, encode) } catch {
            throw StoreFailure(error)
        }
    }
}
