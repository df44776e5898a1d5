package import Domain
package import Engine
package import EventLoop
import Synchronization
import Wire

/// APNs and FCM behind one face: an account per tenant and provider, each on one loop of a group.
package final class ProviderSenders: PushSending {
    private struct AccountKey: Hashable {
        let tenant: TenantKey
        let provider: String
    }

    private let group: EventLoopGroup
    private let settings: ProviderSettings
    private let shards: Int
    private let apnsConnector: Connector
    private let fcmConnector: Connector
    private let store: any DirectoryStore
    private let tokens: any TokenSealing
    private let secrets: any SecretSealing
    private let contents = Mutex(Contents())

    private struct Contents {
        var reporting: (any PushReporting)?
        var accounts: [AccountKey: (loop: EventLoop, account: LoopBound<ProviderAccount>)] = [:]
    }

    /// Fails if a trust file cannot be used. Nothing is sent before `start`.
    package init(
        _ settings: ProviderSettings, group: EventLoopGroup, shards: Int, store: any DirectoryStore,
        tokens: any TokenSealing, secrets: any SecretSealing
    ) throws {
        self.group = group
        self.settings = settings
        self.shards = shards
        self.store = store
        self.tokens = tokens
        self.secrets = secrets
        apnsConnector = try Self.connector(settings.apnsTrust, settings)
        fcmConnector = try Self.connector(settings.fcmTrust, settings)
    }

    private static func connector(
        _ trust: TLSContext.Trust, _ settings: ProviderSettings
    ) throws(TLSError) -> Connector {
        var socket = SocketOptions()
        socket.userTimeoutMilliseconds = 15_000
        return Connector(
            socket: socket, tls: try TLSContext.client(trust: trust, protocols: ["h2"]),
            requiredProtocol: "h2",
            timeoutMilliseconds: settings.connectTimeoutMilliseconds)
    }

    /// Names whom to report to and takes the credentials into use. Once, before the first `send`.
    package func start(_ credentials: [StoredProviderCredential], reporting: any PushReporting) {
        contents.withLock { $0.reporting = reporting }
        for credential in credentials {
            credentialChanged(credential.tenant, provider: credential.provider, to: credential)
        }
    }

    /// Swaps a tenant's credential, or takes it away, without a restart; what is under way is not lost.
    package func credentialChanged(
        _ tenant: TenantKey, provider: String, to credential: StoredProviderCredential?
    ) {
        guard let (loop, account) = account(AccountKey(tenant: tenant, provider: provider)) else { return }
        let sealed = credential?.sealed
        loop.post { account.value.use(sealed) }
    }

    package func send(_ requests: [PushRequest]) {
        var rest = requests[...]
        while !rest.isEmpty {
            let key = Self.key(rest[rest.startIndex].channel)
            let run = rest.prefix { Self.key($0.channel) == key }
            rest = rest.dropFirst(run.count)
            guard let (loop, account) = account(key) else { continue }
            loop.post { account.value.send(run) }
        }
    }

    /// Every channel that was ever used or has a credential.
    package func channels() async -> [ChannelStatus] {
        let accounts = contents.withLock { Array($0.accounts.values) }
        var statuses: [ChannelStatus] = []
        for (loop, account) in accounts {
            statuses += await withCheckedContinuation { (done: CheckedContinuation<[ChannelStatus], Never>) in
                loop.post { done.resume(returning: account.value.status) }
            }
        }
        return statuses
    }

    private static func key(_ channel: ChannelID) -> AccountKey {
        AccountKey(tenant: channel.tenant, provider: channel.transport.provider)
    }

    /// Nil before `start`.
    private func account(_ key: AccountKey) -> (loop: EventLoop, account: LoopBound<ProviderAccount>)? {
        contents.withLock { contents in
            if let known = contents.accounts[key] { return known }
            guard let reporting = contents.reporting else { return nil }
            let loop = group.next()
            let surroundings = ProviderAccount.Surroundings(
                settings: settings, shards: shards, apnsConnector: apnsConnector, fcmConnector: fcmConnector,
                store: store, tokens: tokens, secrets: secrets, reporting: reporting)
            let account = ProviderAccount(
                tenant: key.tenant, provider: key.provider, loop: loop, surroundings)
            let entry = (loop, LoopBound(sending: account, to: loop))
            contents.accounts[key] = entry
            return entry
        }
    }
}

extension Transport {
    /// Whose credential it needs; the word of the admin API.
    package var provider: String {
        switch self {
        case .apns, .apnsVoIP: "apns"
        case .fcm: "fcm"
        case .webPush: "webpush"
        }
    }
}
