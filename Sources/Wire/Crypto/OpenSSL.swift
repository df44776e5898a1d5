import COpenSSL

// The only file that imports OpenSSL: every `unsafe` of
// cryptography and TLS is here, behind handles that are safe.

/// Takes the oldest error of this thread's queue as text and clears the queue.
func takeOpenSSLReason() -> (code: Int32, text: String) {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let text = unsafe ERR_reason_error_string(code) else { return (0, "unknown reason") }
    return (ERR_GET_REASON(code), unsafe String(cString: text))
}

// MARK: - Digests, random bytes

/// A running SHA-256, a value: copying it forks the computation.
struct SHA256State: Sendable {
    static let digestByteCount = 32
    private var raw = SHA256_CTX()

    init() { _ = unsafe SHA256_Init(&raw) }

    mutating func update(_ bytes: Span<UInt8>) {
        _ = unsafe bytes.withUnsafeBufferPointer { unsafe SHA256_Update(&raw, $0.baseAddress, $0.count) }
    }

    mutating func finish() -> InlineArray<32, UInt8> {
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var bytes = digest.mutableSpan
        _ = unsafe bytes.withUnsafeMutableBufferPointer { unsafe SHA256_Final($0.baseAddress, &raw) }
        return digest
    }
}

/// The digest of two parts, one after the other.
func sha1(_ first: Span<UInt8>, _ second: Span<UInt8>) -> InlineArray<20, UInt8> {
    var state = SHA_CTX()
    var digest = InlineArray<20, UInt8>(repeating: 0)
    var bytes = digest.mutableSpan
    _ = unsafe SHA1_Init(&state)
    _ = unsafe first.withUnsafeBufferPointer { unsafe SHA1_Update(&state, $0.baseAddress, $0.count) }
    _ = unsafe second.withUnsafeBufferPointer { unsafe SHA1_Update(&state, $0.baseAddress, $0.count) }
    _ = unsafe bytes.withUnsafeMutableBufferPointer { unsafe SHA1_Final($0.baseAddress, &state) }
    return digest
}

/// Traps when the operating system has no randomness to give: nothing secure can go on without.
func randomBytes(count wanted: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: wanted) { out, count in
        precondition(unsafe RAND_bytes(out.baseAddress, Int32(wanted)) == 1, "no source of randomness")
        count = wanted
    }
}

func equalInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
            unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

// MARK: - AES-GCM

/// A cipher context that keeps its expanded key; one direction, one use at a time.
@safe struct GCMContext: ~Copyable {
    static let tagByteCount = 16
    private let raw: OpaquePointer
    private let seals: Bool

    /// nil without memory or for a key that is not 16 or 32 bytes.
    init?(key: [UInt8], seals: Bool) {
        guard key.count == 16 || key.count == 32, let raw = unsafe EVP_CIPHER_CTX_new() else { return nil }
        let cipher = unsafe key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        guard unsafe EVP_CipherInit_ex(raw, cipher, nil, key, nil, seals ? 1 : 0) == 1 else {
            unsafe EVP_CIPHER_CTX_free(raw)
            return nil
        }
        unsafe self.raw = raw
        self.seals = seals
    }

    deinit { unsafe EVP_CIPHER_CTX_free(raw) }

    /// Appends ciphertext and tag.
    mutating func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, aad: Span<UInt8>, into output: inout [UInt8]
    ) -> Bool {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: plaintext.count + Self.tagByteCount))
        return unsafe begin(nonce: nonce, aad: aad)
            && output.withUnsafeMutableBytes { out in
                guard let base = unsafe out.baseAddress.map({ unsafe $0 + start }) else { return false }
                return unsafe run(plaintext, to: base.assumingMemoryBound(to: UInt8.self))
                    && copenssl_gcm_tag(raw, 0, base + plaintext.count) == 1
            }
    }

    /// The plaintext when the tag is right, else nil.
    mutating func open(
        _ ciphertext: Span<UInt8>, tag: Span<UInt8>, nonce: Span<UInt8>, aad: Span<UInt8>
    ) -> [UInt8]? {
        guard tag.count == Self.tagByteCount, begin(nonce: nonce, aad: aad) else { return nil }
        var isAuthentic = false
        let plaintext = unsafe [UInt8](unsafeUninitializedCapacity: ciphertext.count + 1) { out, count in
            guard let base = out.baseAddress else { return }
            isAuthentic = unsafe tag.withUnsafeBytes {
                unsafe copenssl_gcm_tag(raw, 1, UnsafeMutableRawPointer(mutating: $0.baseAddress)) == 1
                    && run(ciphertext, to: base)
            }
            count = isAuthentic ? ciphertext.count : 0
        }
        return isAuthentic ? plaintext : nil
    }

    private func begin(nonce: Span<UInt8>, aad: Span<UInt8>) -> Bool {
        var count: Int32 = 0
        guard nonce.count == 12 else { return false }
        let isReady = unsafe nonce.withUnsafeBufferPointer {
            unsafe EVP_CipherInit_ex(raw, nil, nil, nil, $0.baseAddress, seals ? 1 : 0) == 1
        }
        return unsafe isReady
            && (aad.isEmpty
                || aad.withUnsafeBufferPointer {
                    unsafe EVP_CipherUpdate(raw, nil, &count, $0.baseAddress, Int32($0.count)) == 1
                })
    }

    private func run(_ input: Span<UInt8>, to output: UnsafeMutablePointer<UInt8>) -> Bool {
        var count: Int32 = 0
        let isDone =
            unsafe input.isEmpty
            || input.withUnsafeBufferPointer {
                unsafe EVP_CipherUpdate(raw, output, &count, $0.baseAddress, Int32($0.count)) == 1
            }
        return unsafe isDone && EVP_CipherFinal_ex(raw, output + Int(count), &count) == 1
    }
}

// MARK: - Keys

/// An EVP_PKEY. Sendable because the key is never changed
/// after `init` and OpenSSL allows concurrent use then.
@safe final class KeyHandle: @unchecked Sendable {
    private let raw: OpaquePointer

    private init?(owning raw: OpaquePointer?) {
        guard let raw = unsafe raw else {
            ERR_clear_error()
            return nil
        }
        unsafe self.raw = raw
    }

    deinit { unsafe EVP_PKEY_free(raw) }

    static func generateP256() -> KeyHandle? { unsafe KeyHandle(owning: copenssl_generate_p256()) }
    static func generateRSA(bits: UInt32) -> KeyHandle? {
        unsafe KeyHandle(owning: copenssl_generate_rsa(bits))
    }

    /// PKCS#8, SEC1 or PKCS#1.
    static func privateKey(der: [UInt8]) -> KeyHandle? {
        unsafe der.withUnsafeBufferPointer {
            var start = $0.baseAddress
            return unsafe KeyHandle(owning: d2i_AutoPrivateKey(nil, &start, $0.count))
        }
    }

    /// SubjectPublicKeyInfo; a point that is not on its curve is refused.
    static func publicKey(der: [UInt8]) -> KeyHandle? {
        unsafe der.withUnsafeBufferPointer {
            var start = $0.baseAddress
            return unsafe KeyHandle(owning: d2i_PUBKEY(nil, &start, $0.count))
        }
    }

    var isRSA: Bool { unsafe EVP_PKEY_is_a(raw, "RSA") == 1 }
    var bitCount: Int { Int(unsafe EVP_PKEY_get_bits(raw)) }
    var isP256: Bool {
        var name = [CChar](repeating: 0, count: 32)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(raw, &name, name.count, &count) == 1 else { return false }
        return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar($0) })
    }

    /// SubjectPublicKeyInfo.
    func publicDER() -> [UInt8] { unsafe encoded { unsafe i2d_PUBKEY(raw, $0) } }

    /// PKCS#8, not encrypted.
    func privateDER() -> [UInt8] {
        guard let box = unsafe EVP_PKEY2PKCS8(raw) else { return [] }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(box) }
        return unsafe encoded { unsafe i2d_PKCS8_PRIV_KEY_INFO(box, $0) }
    }

    private func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]
    {
        let size = Int(encode(nil))
        guard size > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { out, count in
            var cursor = out.baseAddress
            count = max(0, Int(unsafe encode(&cursor)))
        }
    }

    /// ECDSA (DER) or RSA PKCS#1 v1.5 over SHA-256.
    func sign(_ message: Span<UInt8>) -> [UInt8]? {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, raw) == 1 else { return nil }
        var size = Int(unsafe EVP_PKEY_get_size(raw))
        var signature = [UInt8](repeating: 0, count: size)
        let isSigned = unsafe message.withUnsafeBufferPointer {
            unsafe EVP_DigestSign(context, &signature, &size, $0.baseAddress, $0.count) == 1
        }
        return isSigned ? Array(signature.prefix(size)) : nil
    }

    func verify(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, raw) == 1 else { return false }
        return unsafe message.withUnsafeBufferPointer {
            unsafe EVP_DigestVerify(context, signature, signature.count, $0.baseAddress, $0.count) == 1
        }
    }

    /// ECDH: the shared x coordinate, nil when the keys do not fit.
    func agree(with peer: KeyHandle) -> [UInt8]? {
        guard let context = unsafe EVP_PKEY_CTX_new(raw, nil) else { return nil }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        var size = 32
        var secret = [UInt8](repeating: 0, count: size)
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, peer.raw) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &size) == 1, size == secret.count
        else { return nil }
        return secret
    }

    /// For `SSL_CTX_use_PrivateKey`, which takes its own reference.
    fileprivate func use(in context: OpaquePointer) -> Bool {
        unsafe SSL_CTX_use_PrivateKey(context, raw) == 1 && SSL_CTX_check_private_key(context) == 1
    }
}

// MARK: - TLS

/// An SSL_CTX. Sendable because it is configured before it is shared and OpenSSL locks what changes later.
@safe final class TLSContextHandle: @unchecked Sendable {
    private let raw: OpaquePointer
    /// ALPN's wire form (each name after its length byte); the callback hands out pointers into it.
    private let protocols: UnsafeMutableBufferPointer<UInt8>

    init?(isServer: Bool, wireProtocols: [UInt8]) {
        guard let raw = unsafe SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            return nil
        }
        unsafe self.raw = raw
        unsafe protocols = .allocate(capacity: wireProtocols.count)
        _ = unsafe protocols.initialize(from: wireProtocols)
        unsafe copenssl_configure(raw)
        if !isServer { unsafe SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil) }
        if !wireProtocols.isEmpty { isServer ? selectProtocols() : offerProtocols() }
    }

    deinit {
        unsafe SSL_CTX_free(raw)
        unsafe protocols.deallocate()
    }

    private func offerProtocols() {
        _ = unsafe SSL_CTX_set_alpn_protos(raw, protocols.baseAddress, UInt32(protocols.count))
    }

    private func selectProtocols() {
        // Each session keeps this object alive, so the callback finds it.
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe SSL_CTX_set_alpn_select_cb(
            raw,
            { _, chosen, chosenCount, offered, offeredCount, me in
                guard let me = unsafe me else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                let ours = unsafe Unmanaged<TLSContextHandle>.fromOpaque(me).takeUnretainedValue().protocols
                var match: UnsafeMutablePointer<UInt8>?
                let result = unsafe SSL_select_next_proto(
                    &match, chosenCount, ours.baseAddress, UInt32(ours.count), offered, offeredCount)
                guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                unsafe chosen?.pointee = unsafe UnsafePointer(match)
                return SSL_TLSEXT_ERR_OK
            }, me)
    }

    func trustSystem() -> Bool { unsafe SSL_CTX_set_default_verify_paths(raw) == 1 }
    func trust(file: String) -> Bool { unsafe SSL_CTX_load_verify_file(raw, file) == 1 }
    func trust(certificateDER: [UInt8]) -> Bool {
        unsafe withCertificate(certificateDER) {
            unsafe X509_STORE_add_cert(SSL_CTX_get_cert_store(raw), $0) == 1
        }
    }

    func useLeaf(certificateDER: [UInt8]) -> Bool {
        unsafe withCertificate(certificateDER) { unsafe SSL_CTX_use_certificate(raw, $0) == 1 }
    }
    func addToChain(certificateDER: [UInt8]) -> Bool {
        unsafe withCertificate(certificateDER) { unsafe copenssl_add_chain(raw, $0) == 1 }
    }
    func use(_ key: KeyHandle) -> Bool { unsafe key.use(in: raw) }
    func use(certificateChainFile: String, privateKeyFile: String) -> Bool {
        unsafe SSL_CTX_use_certificate_chain_file(raw, certificateChainFile) == 1
            && SSL_CTX_use_PrivateKey_file(raw, privateKeyFile, SSL_FILETYPE_PEM) == 1
    }

    private func withCertificate(_ der: [UInt8], _ use: (OpaquePointer) -> Bool) -> Bool {
        unsafe der.withUnsafeBufferPointer {
            var start = $0.baseAddress
            guard let certificate = unsafe d2i_X509(nil, &start, $0.count) else { return false }
            defer { unsafe X509_free(certificate) }
            return unsafe use(certificate)
        }
    }

    fileprivate func makeSession() -> OpaquePointer? { unsafe SSL_new(raw) }
}

/// An SSL whose transport is two buffers here instead of a
/// socket; a class because OpenSSL's BIO points to it.
@safe final class TLSHandle {
    enum Outcome: Equatable {
        case done
        case wantsMore
        /// The peer's close_notify.
        case closed
        case failed(code: Int32, reason: String)
        case untrusted(reason: String)
    }

    private let context: TLSContextHandle
    private let raw: OpaquePointer
    /// Only inside `withInput`.
    private var input = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var output: [UInt8] = []

    /// `host` nil: a server.
    init?(_ context: TLSContextHandle, host: String?) {
        guard let raw = unsafe context.makeSession() else { return nil }
        self.context = context
        unsafe self.raw = raw
        guard let method = unsafe Self.transport, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        unsafe SSL_set_bio(raw, bio, bio)
        guard let host else {
            unsafe SSL_set_accept_state(raw)
            return
        }
        unsafe SSL_set_connect_state(raw)
        guard expect(host) else { return nil }
    }

    deinit { unsafe SSL_free(raw) }

    /// Certificate checks for `host`; an IP address goes against the IP names and is not sent as SNI.
    private func expect(_ host: String) -> Bool {
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(raw), host) == 1 { return true }
        ERR_clear_error()
        unsafe SSL_set_hostflags(raw, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        return unsafe SSL_set1_host(raw, host) == 1 && copenssl_set_server_name(raw, host) == 1
    }

    /// Lends `bytes` as what the transport has to read while `body` runs.
    func withInput(_ bytes: Span<UInt8>, _ body: () -> Void) {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe input = unsafe $0
            defer { unsafe input = unsafe UnsafeBufferPointer(start: nil, count: 0) }
            body()
        }
    }

    func handshake() -> Outcome {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(raw)
        return result == 1 ? .done : outcome(of: result)
    }

    /// Appends what can be decrypted until the transport has no more.
    func read(into plaintext: inout [UInt8]) -> Outcome {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 << 10) { record in
            while true {
                ERR_clear_error()
                let count = unsafe SSL_read(raw, record.baseAddress, Int32(record.count))
                guard count > 0 else { return outcome(of: count) }
                unsafe plaintext.append(contentsOf: record.prefix(Int(count)))
            }
        }
    }

    func write(_ plaintext: Span<UInt8>) -> Outcome {
        ERR_clear_error()
        output.reserveCapacity(output.count + plaintext.count + 64 * (1 + plaintext.count >> 14))
        var written = 0
        let result = unsafe plaintext.withUnsafeBufferPointer {
            unsafe SSL_write_ex(raw, $0.baseAddress, $0.count, &written)
        }
        return result == 1 ? .done : outcome(of: result)
    }

    func sendCloseNotify() {
        _ = unsafe SSL_shutdown(raw)
        ERR_clear_error()
    }

    var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(raw, &name, &count)
        guard let name = unsafe name, count > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    var version: String { unsafe String(cString: SSL_get_version(raw)) }

    static func meansNoCommonProtocol(_ code: Int32) -> Bool {
        code == SSL_R_NO_APPLICATION_PROTOCOL || code == SSL_AD_REASON_OFFSET + SSL_AD_NO_APPLICATION_PROTOCOL
    }

    private func outcome(of result: Int32) -> Outcome {
        switch unsafe SSL_get_error(raw, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wantsMore
        case SSL_ERROR_ZERO_RETURN: return .closed
        default:
            let reason = takeOpenSSLReason()
            let verdict = unsafe SSL_get_verify_result(raw)
            guard verdict != Int(X509_V_OK) else { return .failed(code: reason.code, reason: reason.text) }
            return .untrusted(reason: unsafe String(cString: X509_verify_cert_error_string(verdict)))
        }
    }

    /// The BIO's functions, made once for the process; never changed afterwards.
    private nonisolated(unsafe) static let transport: OpaquePointer? = {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "Wire buffers")
        else {
            return nil
        }
        unsafe BIO_meth_set_read(method) { bio, target, wanted in
            unsafe TLSHandle.owner(of: bio)?.read(bio, into: target, wanted: Int(wanted)) ?? -1
        }
        unsafe BIO_meth_set_write(method) { bio, source, count in
            guard let source = unsafe source else { return -1 }
            unsafe copenssl_clear_retry(bio)
            let bytes = unsafe UnsafeRawBufferPointer(start: source, count: Int(count))
            unsafe TLSHandle.owner(of: bio)?.output.append(contentsOf: bytes)
            return count
        }
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return unsafe method
    }()

    private static func owner(of bio: OpaquePointer?) -> TLSHandle? {
        guard let data = unsafe BIO_get_data(bio) else { return nil }
        return unsafe Unmanaged<TLSHandle>.fromOpaque(data).takeUnretainedValue()
    }

    private func read(_ bio: OpaquePointer?, into target: UnsafeMutablePointer<CChar>?, wanted: Int) -> Int32
    {
        unsafe copenssl_clear_retry(bio)
        let count = unsafe min(wanted, input.count)
        guard count > 0, let target = unsafe target, let source = unsafe input.baseAddress else {
            unsafe copenssl_retry_read(bio)
            return -1
        }
        unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count)
        unsafe input = unsafe UnsafeBufferPointer(rebasing: input.dropFirst(count))
        return Int32(count)
    }
}
