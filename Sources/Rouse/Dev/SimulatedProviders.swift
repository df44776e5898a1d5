import EventLoop
import Simulator
import Wire

/// The simulated providers and their control endpoint, as
/// `rouse dev` and `rouse simulate-providers` run them.
struct SimulatedProviders: Sendable {
    static let standardAddress = "127.0.0.1:8083"
    static let standardControlAddress = "127.0.0.1:8082"

    let simulator: ProviderSimulator
    private let control: SimulatorControl

    init(
        providersAddress: String, changedBy option: String = "--listen", controlAddress: String,
        group: EventLoopGroup, onPush: @escaping @Sendable (SimulatedPush) -> Void
    ) throws {
        var settings = SimulatorSettings()
        settings.address = try ListenAddress.parse(providersAddress)
        let address = settings.address
        let controlAddress = try ListenAddress.parse(controlAddress)
        let simulator = try ListenAddress.listening(on: address, change: option) {
            try ProviderSimulator(settings, group: group, onPush: onPush)
        }
        self.simulator = simulator
        control = try ListenAddress.listening(on: controlAddress, change: "--control") {
            try SimulatorControl(address: controlAddress, group: group, simulator: simulator)
        }
    }

    var url: String { simulator.url }
    var controlURL: String { "http://\(control.address)" }
    var authorityPEM: String { simulator.authorityPEM }

    func close() async {
        simulator.close()
        await control.drain()
    }
}
