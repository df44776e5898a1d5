import Domain
import Engine
import Glibc
import Testing
import Wire

@testable import EventLoop
@testable import Store

@Suite struct TokenSealerTests {
    private let key = MasterKey(bytes: SecureRandom.bytes(count: 32))
    private let tenant = TenantKey(1)

    private func keyed(_ token: UnkeyedToken) -> SealedToken {
        SealedToken(
            digest: TokenDigest(
                key: TokenKey(1), transport: token.transport, environment: token.environment,
                registeredAt: WallTime(milliseconds: 0)),
            sealed: token.sealed, keyID: token.keyID, lookup: token.lookup, topic: token.topic)
    }

    private static let tokens: [PlainToken] = [
        .apns(hex: "00ff10", topic: "com.example.app", .sandbox),
        .apnsVoIP(hex: "aabb", topic: "com.example.app", .production),
        .fcm("fcm:token"),
        .webPush(endpoint: "https://push.example/1", p256dh: [4, 1, 2], auth: [9]),
    ]

    @Test(arguments: tokens.indices) func `a token opens to what was sealed`(index: Int) {
        let token = Self.tokens[index]
        let sealer = TokenSealer(key)
        let sealed = keyed(sealer.seal(token, tenant: tenant))
        #expect(sealed.digest.transport == token.transport)
        #expect(sealer.open(sealed, tenant: tenant).map { "\($0)" } == "\(token)")
    }

    @Test func `another tenant, another master key and a changed byte do not open`() {
        let sealer = TokenSealer(key)
        let sealed = keyed(sealer.seal(.fcm("t"), tenant: tenant))
        #expect(sealer.open(sealed, tenant: TenantKey(2)) == nil)
        #expect(
            TokenSealer(MasterKey(bytes: [UInt8](repeating: 1, count: 32))).open(sealed, tenant: tenant)
                == nil)
        for position in sealed.sealed.indices {
            var bytes = sealed.sealed
            bytes[position] ^= 1
            let changed = SealedToken(
                digest: sealed.digest, sealed: bytes, keyID: sealed.keyID, lookup: sealed.lookup, topic: "")
            #expect(sealer.open(changed, tenant: tenant) == nil)
        }
    }

    @Test func `equal tokens have equal lookups and different seals`() {
        let sealer = TokenSealer(key)
        func seal(_ token: PlainToken, _ tenant: TenantKey) -> UnkeyedToken {
            sealer.seal(token, tenant: tenant)
        }
        let one = seal(.apns(hex: "AB01", topic: "a", .production), tenant)
        let same = seal(.apns(hex: "ab01", topic: "a", .production), tenant)
        #expect(one.lookup == same.lookup)
        #expect(one.sealed != same.sealed)
        #expect(one.lookup.count == 32)
        #expect(one.lookup != seal(.apns(hex: "ab01", topic: "a", .production), TenantKey(2)).lookup)
        #expect(one.lookup != seal(.apnsVoIP(hex: "ab01", topic: "a", .production), tenant).lookup)
    }

    @Test func `a secret opens for its row only`() {
        let sealer = TokenSealer(key)
        let sealed = sealer.seal(Array("secret".utf8), for: "client_key 1 k1")
        #expect(sealer.open(sealed, for: "client_key 1 k1") == Array("secret".utf8))
        #expect(sealer.open(sealed, for: "client_key 1 k2") == nil)
        #expect(sealer.open([], for: "client_key 1 k1") == nil)
    }

    @Test func `a collapse hash has 24 bytes and tells conversations apart`() {
        let sealer = TokenSealer(key)
        func hash(_ user: String, _ conversation: String) -> [UInt8] {
            sealer.collapseHash(
                tenant: TenantID("t"), user: UserID(user), conversation: ConversationID(conversation))
        }
        #expect(hash("bob", "c").count == 24)
        #expect(hash("bob", "c") == hash("bob", "c"))
        #expect(hash("bob", "c") != hash("bo", "bc"))
    }
}

@Suite struct MasterKeyFileTests {
    private let path: String = {
        _ = try? TestCluster.freshDatabase(migrated: false)
        return "\(TestCluster.directory)/key-\(Hex.encode(SecureRandom.bytes(count: 6)))"
    }()

    @Test func `a key is made for an unused database only, and read again`() throws {
        let made = try MasterKeyFile.load(path, known: [])
        #expect(try LocalFiles.mode(of: path) == 0o600)
        #expect(try MasterKeyFile.load(path, known: [made.id]).id == made.id)
        #expect(try MasterKeyFile.load(path, known: []).id == made.id)
        #expect(made.id.utf8.count == 16)
    }

    @Test func `a missing key of a used database is refused by its id, and none is made`() {
        #expect(throws: MasterKeyError.missing(path: path, needed: ["0123456789abcdef"])) {
            _ = try MasterKeyFile.load(path, known: ["0123456789abcdef"])
        }
        #expect(!LocalFiles.exists(path))
    }

    @Test func `a foreign, open or broken file is refused`() throws {
        let key = try MasterKeyFile.load(path, known: [])
        #expect(throws: MasterKeyError.wrongKey(path: path, found: key.id, needed: ["other"])) {
            _ = try MasterKeyFile.load(path, known: ["other"])
        }
        _ = unsafe chmod(path, 0o644)
        #expect(throws: MasterKeyError.tooOpen(path: path)) { _ = try MasterKeyFile.load(path, known: []) }
        _ = unsafe chmod(path, 0o600)
        try LocalFiles.write(Array("nonsense".utf8), to: path, mode: 0o600, replacing: true)
        #expect(throws: MasterKeyError.malformed(path: path)) { _ = try MasterKeyFile.load(path, known: []) }
    }

    @Test func `the database remembers which key it is sealed with`() async throws {
        let pool = PostgresPool(try TestCluster.freshDatabase(), on: EventLoop(label: "test.seal"), size: 1)
        let sealer = try await TokenSealer.open(keyFile: path, pool)
        #expect(try await TokenSealer.open(keyFile: path, pool).keyID == sealer.keyID)
        await #expect(throws: MasterKeyError.missing(path: path + ".gone", needed: [sealer.keyID])) {
            _ = try await TokenSealer.open(keyFile: path + ".gone", pool)
        }
        pool.close()
    }
}
