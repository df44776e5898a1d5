import Domain
import Engine
import EventLoop
import Wire

/// The provider token of one key: minted once, shared by all connections and both environments, and kept in
/// the store so that a restart does not mint again within Apple's floor. Belongs to one loop.
final class APNsTokenSource {
    struct Token {
        /// `bearer …`, as the field wants it.
        let authorization: [UInt8]
        let issuedAt: WallTime
    }

    private let tenant: TenantKey
    private let credential: APNsCredential
    private let loop: EventLoop
    private let store: any DirectoryStore
    private let sealing: any SecretSealing
    private let now: @Sendable () -> WallTime
    private var isWorking = false
    private var renewal: TimerToken?
    private var isStopped = false
    private(set) var token: Token?
    /// How many tokens this source has minted.
    private(set) var minted = 0
    /// Told when there is a token, a newer one, or none to be had.
    var observers: [(AuthorizationChange) -> Void] = []

    init(
        tenant: TenantKey, credential: APNsCredential, loop: EventLoop, store: any DirectoryStore,
        sealing: any SecretSealing, now: @escaping @Sendable () -> WallTime
    ) {
        self.tenant = tenant
        self.credential = credential
        self.loop = loop
        self.store = store
        self.sealing = sealing
        self.now = now
    }

    /// Looks for a token in the store and mints one if there is none that can be used.
    func start() { work { try await $0.loadOrMint() } }

    /// Apple called the token expired: replaces it, unless it is too young for that; false then: the clock is
    /// wrong.
    func replace() -> Bool {
        guard let token else { return true }
        guard APNsTokenAge.mayReplace(issuedAt: token.issuedAt, at: now()) else { return false }
        work { try await $0.mint() }
        return true
    }

    func stop() {
        isStopped = true
        observers = []
        if let renewal { loop.timers.cancel(renewal) }
    }

    /// Single flight: what is asked for meanwhile is answered by the same token.
    private func work(_ step: @escaping @Sendable (Minter) async throws -> Minter.Result) {
        guard !isWorking, !isStopped else { return }
        isWorking = true
        let minter = Minter(tenant: tenant, credential: credential, store: store, sealing: sealing, now: now)
        let me = LoopBound(self, on: loop)
        let loop = loop
        Task {
            let result: Result<Minter.Result, any Error>
            do { result = .success(try await step(minter)) } catch { result = .failure(error) }
            loop.post { me.value.finished(result) }
        }
    }

    private func finished(_ result: Result<Minter.Result, any Error>) {
        isWorking = false
        guard !isStopped else { return }
        switch result {
        case .success(let result):
            token = Token(authorization: Array("bearer ".utf8) + result.token, issuedAt: result.issuedAt)
            if result.isNew { minted += 1 }
            armRenewal(after: APNsTokenAge.untilRenewal(issuedAt: result.issuedAt, at: now()))
            tell(.ready)
        case .failure:
            if token != nil { armRenewal(after: Self.retryMilliseconds) }
            tell(token == nil ? .failed(reason: "provider_token_not_stored") : .ready)
        }
    }

    private func tell(_ change: AuthorizationChange) {
        for observer in observers { observer(change) }
    }

    private static let retryMilliseconds: Int64 = 5_000

    private func armRenewal(after milliseconds: Int64) {
        if let renewal { loop.timers.cancel(renewal) }
        renewal = loop.timers.arm(afterMilliseconds: Int(milliseconds)) { [weak self] in
            self?.work { try await $0.mint() }
        }
    }
}

/// Makes a token, off the loop.
private struct Minter: Sendable {
    struct Result: Sendable {
        let token: [UInt8]
        let issuedAt: WallTime
        let isNew: Bool
    }

    let tenant: TenantKey
    let credential: APNsCredential
    let store: any DirectoryStore
    let sealing: any SecretSealing
    let now: @Sendable () -> WallTime

    /// A store that does not answer stops the minting: without it the floor could not be kept.
    func loadOrMint() async throws -> Result {
        if let stored = try await store.loadProviderToken(tenant, keyID: credential.keyID),
            APNsTokenAge.isReusable(issuedAt: stored.issuedAt, at: now()),
            let token = sealing.open(stored.sealed, for: row), isOurs(token)
        {
            return Result(token: token, issuedAt: stored.issuedAt, isNew: false)
        }
        return try await mint()
    }

    /// Stored before it is used: a crash in between costs a token unused, never one too many.
    func mint() async throws -> Result {
        let seconds = now().milliseconds / 1_000
        var claims = JSONWriter()
        claims.beginObject()
        claims.member("iss", credential.teamID)
        claims.member("iat", seconds)
        claims.endObject()
        let token = try JWT.sign(
            claims: claims.bytes, keyID: credential.keyID, type: nil, with: .es256(credential.privateKey))
        let issuedAt = WallTime(milliseconds: seconds * 1_000)
        try await store.saveProviderToken(
            StoredProviderToken(
                tenant: tenant, keyID: credential.keyID, issuedAt: issuedAt,
                sealed: sealing.seal(Array(token.utf8), for: row)))
        return Result(token: Array(token.utf8), issuedAt: issuedAt, isNew: true)
    }

    /// A token of another private key under the same key id is none of ours.
    private func isOurs(_ token: [UInt8]) -> Bool {
        guard let jwt = try? JWT(parsing: token) else { return false }
        return jwt.isSigned(by: .es256(credential.privateKey.publicKey))
    }

    private var row: String { SecretRows.providerToken(tenant, keyID: credential.keyID) }
}
