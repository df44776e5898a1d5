import EventLoop
import Simulator
import Wire

/// `rouse-loadtest provider`: the simulated providers in a process of their
/// own, so that their cost is told apart. Started by the other commands.
enum ProviderCommand {
    static let command = LoadtestCommand(
        name: "provider", summary: "Simulated providers; the other commands start it",
        options: [
            Option("ready", "FILE", "Where to say which addresses were taken"),
            Option("keep", "N", "Pushes kept for the list (100000)"),
            Option("strict", "0|1", "Whether requests are checked as Apple and Google check them (0)"),
        ],
        details: "Ends with the process that started it.", run: run)

    private static func run(_ options: Options) async throws {
        let ready = try options.required("ready")
        let group = EventLoopGroup(count: 2, label: "provider")
        var settings = SimulatorSettings()
        settings.validation = options["strict"] == "1" ? .strict : .light
        settings.keptPushes = try options.number("keep", in: 1...10_000_000, default: 100_000)
        let simulator = try ProviderSimulator(settings, group: group)
        let control = try SimulatorControl(group: group, simulator: simulator)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("url", simulator.url)
        writer.member("control", "\(control.address)")
        writer.member("ca", simulator.authorityPEM)
        writer.endObject()
        try LocalFiles.write(writer.bytes, to: ready)
        let parent = ParentProcess()
        while !parent.hasEnded { try? await Task.sleep(for: .milliseconds(250)) }
    }
}
