import EventLoop
import Simulator
import Wire

extension Commands {
    /// `rouse simulate-providers`.
    static let simulateProviders = Command(
        name: "simulate-providers", summary: "Run APNs and FCM as they behave, and misbehave when told to",
        options: [
            .value("listen", "ADDRESS", "APNs and FCM over HTTP/2 and TLS (127.0.0.1:8083)"),
            .value("control", "ADDRESS", "What was received, what to answer (127.0.0.1:8082)"),
            .value("ca-file", "FILE", "Write the certificates to trust here"),
            .flag("quiet", "Do not print the pushes"), .flag("json", "Print the pushes as JSON"),
        ],
        details: """
            The control endpoint: GET /pushes?token=&after=&limit=, POST /tokens/TOKEN with what to answer
            ({"answer": 410}), POST /reset, GET /stats, GET /ca.pem. Point providers.apns and providers.fcm of
            the config here, with ca_file.
            """,
        isService: true,
        run: { arguments, terminal in
            let printer = PushPrinter(
                terminal: terminal,
                form: arguments.has("quiet") ? .none : arguments.has("json") ? .json : .words)
            let group = EventLoopGroup(count: 2, label: "simulator")
            let providers = try SimulatedProviders(
                providersAddress: arguments["listen"] ?? SimulatedProviders.standardAddress,
                controlAddress: arguments["control"] ?? SimulatedProviders.standardControlAddress,
                group: group,
                onPush: printer.print)
            if let path = arguments["ca-file"] {
                try LocalFile.writePrivately(Array(providers.authorityPEM.utf8), to: path)
            }
            terminal.out("APNs and FCM: \(providers.url)  (tokens: \(providers.simulator.tokenURL))")
            terminal.out("received:     \(providers.controlURL)/pushes")
            await Signals.stopped()
            await providers.close()
        })
}
