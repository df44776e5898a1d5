import Domain
import Engine
import Simulator
import Testing
import Wire

@testable import EventLoop
@testable import Providers

struct CredentialSwapTests {
    @Test func `one token is minted for two connections and both environments`() async throws {
        let rig = try Rig(connections: 2)
        try rig.start()
        let sandbox = ChannelID(tenant: Rig.tenant, transport: .apns, environment: .sandbox)
        rig.senders.send(
            (1...50).map { rig.request($0) } + (51...60).map { rig.request($0, channel: sandbox) })
        #expect(await rig.reporting.reports(60).allSatisfy { $0.verdict == .accepted })
        #expect(rig.store.saves == 1)
        #expect(rig.simulator.statistics.providerTokens == 1)
    }

    @Test func `a restart uses the stored token`() async throws {
        let first = try Rig()
        try first.start()
        first.senders.send([first.request(1)])
        _ = await first.reporting.reports(1)
        let second = try Rig(store: first.store, apnsKey: first.apnsKey)
        try second.start()
        second.senders.send([second.request(1)])
        #expect(await second.reporting.reports(1).first?.verdict == .accepted)
        #expect(first.store.saves == 1)
    }

    @Test func `without a credential a push comes back and waits for one`() async throws {
        let rig = try Rig()
        try rig.start(apns: false)
        rig.senders.send([rig.request(1)])
        #expect(await rig.reporting.reports(1).first?.verdict == .channelFault)
        #expect(rig.reporting.windows(Rig.apns) == [0])
        #expect(rig.reporting.lastReason(Rig.apns) == "no_credential")
        rig.senders.credentialChanged(Rig.tenant, provider: "apns", to: try rig.apnsCredential(rig.apnsKey))
        await rig.reporting.window(Rig.apns) { $0 > 0 }
        rig.senders.send([rig.request(1)])
        #expect(await rig.reporting.reports(2).last?.verdict == .accepted)
    }

    @Test func `a wrong key halts the channel and the right one resumes it`() async throws {
        let rig = try Rig()
        try rig.start(apns: false)
        let wrong = try rig.apnsCredential(.generate())
        rig.senders.credentialChanged(Rig.tenant, provider: "apns", to: wrong)
        await rig.reporting.window(Rig.apns) { $0 > 0 }
        rig.senders.send([rig.request(1)])
        _ = await rig.reporting.reports(1)
        // One more try over a clean connection.
        await rig.reporting.window(Rig.apns) { $0 > 0 }
        rig.senders.send([rig.request(1)])
        #expect(await rig.reporting.reports(2).allSatisfy { $0.verdict == .channelFault })
        await rig.reporting.window(Rig.apns) { $0 == 0 }
        #expect(rig.reporting.lastReason(Rig.apns) == "InvalidProviderToken")
        let status = try #require(await rig.senders.channels().first { $0.channel == Rig.apns })
        #expect(status.state == .halted)

        rig.senders.credentialChanged(Rig.tenant, provider: "apns", to: try rig.apnsCredential(rig.apnsKey))
        await rig.reporting.window(Rig.apns) { $0 > 0 }
        rig.senders.send([rig.request(1)])
        #expect(await rig.reporting.reports(3).last?.verdict == .accepted)
    }

    @Test func `a swap under way loses nothing`() async throws {
        let rig = try Rig()
        try rig.start()
        rig.simulator.script("aa00", ScriptedAnswer(.accept, delayMilliseconds: 20))
        rig.senders.send([rig.request(1)])
        await rig.reporting.window(Rig.apns) { $0 == 1_000 }
        let next = try ECDSAP256.PrivateKey.generate()
        rig.simulator.register(teamID: "TEAM123456", keyID: "KEY2222222", next.publicKey)
        rig.senders.send((2...20).map { rig.request($0) })
        rig.senders.credentialChanged(
            Rig.tenant, provider: "apns", to: try rig.apnsCredential(next, keyID: "KEY2222222"))
        rig.senders.send((21...40).map { rig.request($0) })
        let reports = await rig.reporting.reports(40)
        #expect(reports.allSatisfy { $0.verdict == .accepted })
    }

    @Test func `a provider that is away closes the window and comes back`() async throws {
        let now = WallClock.now() / 1_000
        let held = try HeldPort()
        var simulation = SimulatorSettings()
        simulation.address = held.address
        simulation.authority = try X509.Authority(
            name: "test", validity: X509.Validity(from: now - 60, until: now + 3_600))
        let rig = try Rig(simulation)
        rig.simulator.close()
        // The listener's descriptor is closed in a later turn of its loop.
        while try held.isListenedAt() {}
        try rig.start()
        rig.senders.send([rig.request(1)])
        #expect(await rig.reporting.reports(1).first?.verdict == .channelFault)
        #expect(rig.reporting.windows(Rig.apns).contains(0))
        let back = try ProviderSimulator(simulation, group: rig.group)
        await rig.reporting.window(Rig.apns) { $0 > 0 }
        rig.senders.send([rig.request(1)])
        #expect(await rig.reporting.reports(2).last?.verdict == .accepted)
        #expect(back.pushes().count == 1)
        withExtendedLifetime(held) {}
    }

    /// A port that is the test's until its end, for listeners that come and go.
    private final class HeldPort {
        let address: SocketAddress
        private let descriptor: Int32

        init() throws {
            descriptor = try System.socket(for: .loopback())
            try System.setReuseAddress(descriptor)
            try System.bind(descriptor, to: .loopback())
            address = try #require(System.localAddress(of: descriptor))
        }

        func isListenedAt() throws -> Bool {
            let probe = try System.socket(for: address, isBlocking: true)
            defer { System.close(probe) }
            return (try? System.connect(probe, to: address)) != nil
        }

        deinit { System.close(descriptor) }
    }
}
