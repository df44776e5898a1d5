import Synchronization
import Wire

/// What all connections of a simulator share: scripts, what arrived, who may push.
final class SimulatorState: Sendable {
    let settings: SimulatorSettings
    private let contents: Mutex<Contents>
    private let hasScripts = Atomic<Bool>(false)
    private let onPush: (@Sendable (SimulatedPush) -> Void)?

    private struct Contents {
        var scripts: [String: ScriptedAnswer] = [:]
        var pushes: PushRing
        var apnsKeys: [String: APNsKey] = [:]
        var accounts: [String: RSASHA256.PublicKey] = [:]
        var accessTokens: [String: Int64] = [:]
        var providerTokens: [ArraySlice<UInt8>: ProviderToken] = [:]
        var statistics = SimulatorStatistics()
    }

    struct APNsKey: Sendable {
        let teamID: String
        let publicKey: ECDSAP256.PublicKey
    }

    /// A provider token whose signature was checked.
    struct ProviderToken: Sendable {
        let teamID: String
        let keyID: String
        let issuedAt: Int64
    }

    /// Tokens remembered at most; the memory is emptied when it is full.
    private static let maximumTokenCount = 1_024

    init(_ settings: SimulatorSettings, onPush: (@Sendable (SimulatedPush) -> Void)?) {
        self.settings = settings
        self.onPush = onPush
        contents = Mutex(Contents(pushes: PushRing(capacity: settings.keptPushes)))
    }

    // MARK: Scripts

    func script(_ token: String, _ answer: ScriptedAnswer) {
        contents.withLock {
            $0.scripts[token] = answer.act == .accept && answer.delayMilliseconds == 0 ? nil : answer
        }
        hasScripts.store(true, ordering: .releasing)
    }

    /// What to answer for a token; nil: accept it. Spends one of the answer's times.
    func answer(for token: String) -> ScriptedAnswer? {
        guard isScripted else { return nil }
        return contents.withLock { contents in
            let key = contents.scripts[token] == nil ? "*" : token
            guard var answer = contents.scripts[key] else { return nil }
            if let times = answer.times {
                answer.times = times - 1
                contents.scripts[key] = times > 1 ? answer : nil
            }
            return answer
        }
    }

    var isScripted: Bool { hasScripts.load(ordering: .acquiring) }

    // MARK: What arrived

    func record(_ push: SimulatedPush) {
        let recorded = contents.withLock { contents in
            contents.statistics.count(push)
            return contents.pushes.append(push)
        }
        onPush?(recorded)
    }

    func pushes(token: String?, after sequence: Int, limit: Int) -> [SimulatedPush] {
        contents.withLock { $0.pushes.newest(limit, token: token, after: sequence) }
    }

    var statistics: SimulatorStatistics { contents.withLock { $0.statistics } }

    func connectionOpened() { contents.withLock { $0.statistics.connections += 1 } }

    /// Forgets pushes, scripts and counts; keys and tokens stay.
    func reset() {
        contents.withLock { contents in
            contents.scripts = [:]
            contents.pushes = PushRing(capacity: settings.keptPushes)
            contents.statistics = SimulatorStatistics()
        }
    }

    // MARK: Who may push

    func register(keyID: String, _ key: APNsKey) {
        contents.withLock { contents in
            contents.apnsKeys[keyID] = key
            contents.providerTokens = [:]
        }
    }

    func register(account: String, _ key: RSASHA256.PublicKey) {
        contents.withLock { $0.accounts[account] = key }
    }

    /// The key of that id; where no key was registered at all, every well-formed token passes.
    func apnsKey(_ keyID: String) -> (isOpenToAll: Bool, key: APNsKey?) {
        contents.withLock { ($0.apnsKeys.isEmpty, $0.apnsKeys[keyID]) }
    }

    func account(_ email: String) -> (isOpenToAll: Bool, key: RSASHA256.PublicKey?) {
        contents.withLock { ($0.accounts.isEmpty, $0.accounts[email]) }
    }

    func knownProviderToken(_ authorization: ArraySlice<UInt8>) -> ProviderToken? {
        contents.withLock { $0.providerTokens[authorization] }
    }

    func remember(_ token: ProviderToken, for authorization: ArraySlice<UInt8>) {
        contents.withLock { contents in
            if contents.providerTokens.count >= Self.maximumTokenCount { contents.providerTokens = [:] }
            // A copy: the slice would keep the whole request.
            let before = contents.providerTokens.updateValue(token, forKey: ArraySlice(Array(authorization)))
            if before == nil { contents.statistics.providerTokens += 1 }
        }
    }

    func issueAccessToken(at now: Int64) -> String {
        let token = "ya29.simulated-" + Base64URL.encode(SecureRandom.bytes(count: 24))
        contents.withLock { contents in
            if contents.accessTokens.count >= Self.maximumTokenCount { contents.accessTokens = [:] }
            contents.accessTokens[token] = now + settings.accessTokenSeconds * 1_000
            contents.statistics.accessTokens += 1
        }
        return token
    }

    func isAccessTokenValid(_ token: String, at now: Int64) -> Bool {
        contents.withLock { ($0.accessTokens[token] ?? 0) > now }
    }

    /// Every access token given so far is refused from now on.
    func revokeAccessTokens() { contents.withLock { $0.accessTokens = [:] } }
}
