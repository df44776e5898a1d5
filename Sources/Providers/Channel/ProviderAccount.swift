import Domain
import Engine
import EventLoop
import Wire

/// One tenant's account with one provider: the credential and the channels that share it, all on one loop.
final class ProviderAccount {
    /// What accounts need of the house.
    struct Surroundings: Sendable {
        let settings: ProviderSettings
        let shards: Int
        let apnsConnector: Connector
        let fcmConnector: Connector
        let store: any DirectoryStore
        let tokens: any TokenSealing
        let secrets: any SecretSealing
        let reporting: any PushReporting
    }

    private let tenant: TenantKey
    private let provider: String
    private let loop: EventLoop
    private let surroundings: Surroundings
    private var channels: [ChannelID: ChannelSender] = [:]
    private var make: ((ChannelSender) -> any ProviderDialect)?
    private var closedReason = "no_credential"

    init(tenant: TenantKey, provider: String, loop: EventLoop, _ surroundings: Surroundings) {
        self.tenant = tenant
        self.provider = provider
        self.loop = loop
        self.surroundings = surroundings
    }

    func send(_ requests: ArraySlice<PushRequest>) {
        var rest = requests
        while !rest.isEmpty {
            let id = rest[rest.startIndex].channel
            let run = rest.prefix { $0.channel == id }
            channel(id).send(run)
            rest = rest.dropFirst(run.count)
        }
    }

    /// Takes the credential into use, on all channels, without losing what is under way; nil: there is none.
    func use(_ sealed: [UInt8]?) {
        let old = channels.values.compactMap(\.dialect)
        make = nil
        closedReason = "no_credential"
        if let sealed { read(sealed) }
        for environment in environments { _ = channel(environment) }
        for channel in channels.values { apply(to: channel) }
        for dialect in old { dialect.stop() }
    }

    var status: [ChannelStatus] { channels.values.map(\.status) }

    private var environments: [ChannelID] {
        switch provider {
        case APNsCredential.provider:
            [.production, .sandbox].map { ChannelID(tenant: tenant, transport: .apns, environment: $0) }
        case FCMCredential.provider: [ChannelID(tenant: tenant, transport: .fcm, environment: .production)]
        default: []
        }
    }

    private func channel(_ id: ChannelID) -> ChannelSender {
        if let channel = channels[id] { return channel }
        let isFCM = id.transport == .fcm
        let channel = ChannelSender(
            id, loop: loop, connector: isFCM ? surroundings.fcmConnector : surroundings.apnsConnector,
            settings: surroundings.settings, shards: surroundings.shards, reporting: surroundings.reporting)
        channels[id] = channel
        apply(to: channel)
        return channel
    }

    private func apply(to channel: ChannelSender) {
        if let make { channel.use(make(channel)) } else { channel.close(reason: closedReason) }
    }

    private func read(_ sealed: [UInt8]) {
        let row = SecretRows.credential(tenant, provider: provider)
        guard let json = surroundings.secrets.open(sealed, for: row) else {
            closedReason = "credential_unreadable"
            return
        }
        do {
            switch provider {
            case APNsCredential.provider: useAPNs(try APNsCredential.parse(json))
            case FCMCredential.provider: useFCM(try FCMCredential.parse(json))
            default: closedReason = "not_supported"
            }
        } catch {
            closedReason = "credential_invalid"
        }
    }

    private func useAPNs(_ credential: APNsCredential) {
        let source = APNsTokenSource(
            tenant: tenant, credential: credential, loop: loop, store: surroundings.store,
            sealing: surroundings.secrets, now: { WallTime(milliseconds: WallClock.now()) })
        make = { [tenant, surroundings] channel in
            source.observers.append { [weak channel] in channel?.authorizationChanged($0) }
            let settings = surroundings.settings
            let isSandbox = channel.channel.environment == .sandbox
            return APNsDialect(
                tenant: tenant, credential: credential,
                endpoint: isSandbox ? settings.apnsSandbox : settings.apnsProduction, source: source,
                tokens: surroundings.tokens, secrets: surroundings.secrets)
        }
    }

    private func useFCM(_ credential: FCMCredential) {
        let source = FCMTokenSource(credential: credential, connector: surroundings.fcmConnector, loop: loop)
        make = { [tenant, surroundings] channel in
            source.observer = { [weak channel] in channel?.authorizationChanged($0) }
            return FCMDialect(
                tenant: tenant, credential: credential, endpoint: surroundings.settings.fcm, source: source,
                tokens: surroundings.tokens, secrets: surroundings.secrets)
        }
    }
}
