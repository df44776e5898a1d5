package import Domain
package import Engine
import Synchronization
import Wire

/// Seals device tokens and small secrets with AES-256-GCM, and makes the keyed hashes that stand for them.
package final class TokenSealer: TokenSealing, SecretSealing {
    private static let collapseByteCount = 24

    /// The id of the master key, stored beside everything sealed with it.
    package let keyID: String
    private let keyIDBytes: [UInt8]
    private let cipher: Mutex<AES256GCM>
    private let lookup: HMACSHA256
    private let collapse: HMACSHA256
    private let apiKeyHash: HMACSHA256

    package init(_ key: MasterKey) {
        keyID = key.id
        keyIDBytes = Array(key.id.utf8)
        do {
            cipher = Mutex(try AES256GCM(key: key.derived(for: .seal)))
        } catch {
            preconditionFailure("a derived key has 32 bytes")
        }
        lookup = HMACSHA256(key: key.derived(for: .lookup))
        collapse = HMACSHA256(key: key.derived(for: .collapse))
        apiKeyHash = HMACSHA256(key: key.derived(for: .apiKeyHash))
    }

    /// Reads or makes the master key and binds the database to it.
    package static func open(keyFile: String, _ pool: PostgresPool) async throws(MasterKeyError)
        -> TokenSealer
    {
        let known: [String]
        do throws(DatabaseError) {
            known = try await pool.execute(.listSealingKeys).map { $0.text() }
        } catch { throw .database(error) }
        let key = try MasterKeyFile.load(keyFile, known: known)
        do throws(DatabaseError) {
            _ = try await pool.execute(.insertSealingKey) { $0.text(key.id) }
        } catch { throw .database(error) }
        return TokenSealer(key)
    }

    // MARK: Tokens

    package func seal(_ token: PlainToken, tenant: TenantKey) -> UnkeyedToken {
        let form = SealableToken(token)
        return UnkeyedToken(
            transport: token.transport, environment: form.environment,
            sealed: seal(form.bytes, aad: Self.tokenRow(tenant)), keyID: keyID,
            lookup: lookup(form.identity, of: token.transport, tenant), topic: form.topic)
    }

    package func open(_ token: SealedToken, tenant: TenantKey) -> PlainToken? {
        guard token.keyID == keyID, let bytes = open(token.sealed, aad: Self.tokenRow(tenant)) else {
            return nil
        }
        return SealableToken.read(
            bytes, token.digest.transport, topic: token.topic, token.digest.environment)
    }

    private func lookup(_ identity: [UInt8], of transport: Transport, _ tenant: TenantKey) -> [UInt8] {
        var message = FieldBytes()
        message.append(tenant.raw)
        message.append([transport.rawValue])
        message.append(identity)
        return lookup.authenticate(message.bytes)
    }

    private static let tokenRowPrefix = Array("token ".utf8)

    private static func tokenRow(_ tenant: TenantKey) -> [UInt8] {
        tokenRowPrefix + String(tenant.raw).utf8
    }

    // MARK: Secrets

    /// The key's id goes before the seal, so that a later change of keys can tell them apart.
    package func seal(_ secret: [UInt8], for row: String) -> [UInt8] {
        keyIDBytes + seal(secret, aad: Array("secret \(row)".utf8))
    }

    package func open(_ sealed: [UInt8], for row: String) -> [UInt8]? {
        guard sealed.starts(with: keyIDBytes) else { return nil }
        return open(Array(sealed.dropFirst(keyIDBytes.count)), aad: Array("secret \(row)".utf8))
    }

    // MARK: Hashes

    package func hashAPIKey(_ key: [UInt8]) -> [UInt8] { apiKeyHash.authenticate(key) }

    package func collapseHash(tenant: TenantID, user: UserID, conversation: ConversationID) -> [UInt8] {
        var message = FieldBytes()
        message.append(tenant.text)
        message.append(user.text)
        message.append(conversation.text)
        var hash = collapse.authenticate(message.bytes)
        hash.removeLast(hash.count - Self.collapseByteCount)
        return hash
    }

    // MARK: Cipher

    private func seal(_ plain: [UInt8], aad: [UInt8]) -> [UInt8] {
        do {
            return try cipher.withLock { cipher throws(CryptoError) in try cipher.seal(plain, aad: aad) }
        } catch {
            preconditionFailure("AES-256-GCM does not fail on memory")
        }
    }

    private func open(_ sealed: [UInt8], aad: [UInt8]) -> [UInt8]? {
        cipher.withLock { $0.open(sealed, aad: aad) }
    }
}
