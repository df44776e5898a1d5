import Dispatch
import EventLoop
import Synchronization
import Wire

/// `rouse-loadtest device`: devices in a process of their own, which can be frozen, killed, or put
/// into a network of its own. One line of JSON for each thing that happens; orders come on standard input.
enum DeviceCommand {
    static let command = LoadtestCommand(
        name: "device", summary: "Devices on the gateway, by orders on standard input",
        options: [
            Option("server", "ADDR", "The gateway, HOST:PORT with a numeric host; several with commas"),
            Option("token", "JWT", "The credential of the one device"),
            Option("tokens", "FILE", "Instead: a file with a credential for each device, one a line"),
            Option("apply", "HOW", "When entries are acknowledged: now, never, MS later, batch:N (now)"),
            Option("after", "SEQ", "What an earlier life has applied, for every device (0)"),
            Option("mailbox", "ID", "And of which mailbox"),
            Option("from", "head", "Begin without history"),
            Option("spread", "MS", "Connect within so long (0)"),
            Option("return", "MS", "Come back within so long after an end not chosen; left out: stay away"),
            Option("connect", "0|1", "0: wait for the order (1)"),
            Option("events", "all|few", "few: no line for entries, APPLIED and badges (all)"),
            Option("seconds", "S", "End by itself; left out: at quit or a signal"),
            Option("ends-with-parent", "0|1", "End when the process that started this one does (0)"),
        ],
        details: """
            Orders, a line each, to all devices or with @N or @FIRST-LAST to some:
              connect [MS] · drop close|end|reset [MS] · apply [SEQ] · behave HOW · send TEXT · totals · quit
            The end of the input ends nothing. Devices are numbered from 0 in the order of their credentials.
            """,
        run: { options in try await Run(options).run() })

    private struct Run: Sendable {
        private let addresses: [SocketAddress]
        private let profiles: [DeviceProfile]
        private let spread: Int
        private let connects: Bool
        private let tellsAll: Bool
        private let seconds: Int
        private let endsWithParent: Bool

        init(_ options: Options) throws {
            addresses = try options.required("server").split(separator: ",").map {
                text throws(UsageFailure) in
                guard let address = SocketAddress(parsing: String(text)) else {
                    throw UsageFailure("\(text) is no numeric HOST:PORT")
                }
                return address
            }
            var profile = DeviceProfile(token: { "" })
            guard let applying = DeviceProfile.Applying(parsing: options["apply"] ?? "now") else {
                throw UsageFailure("option --apply needs now, never, milliseconds or batch:N")
            }
            profile.applying = applying
            profile.appliedSeq = Int64(try options.number("after", in: 0...Int.max, default: 0))
            profile.mailbox = options["mailbox"]
            profile.start = options["from"] == "head" ? .head : .beginning
            profile.returnsWithinMilliseconds =
                options["return"] == nil
                ? nil : try options.number("return", in: 0...3_600_000, default: 0)
            let shape = profile
            profiles = try Self.tokens(options).map { token in
                var profile = shape
                profile.token = { token }
                return profile
            }
            spread = try options.number("spread", in: 0...3_600_000, default: 0)
            connects = options["connect"] != "0"
            tellsAll = options["events"] != "few"
            seconds = try options.number("seconds", in: 1...1_000_000, default: 1_000_000)
            endsWithParent = options["ends-with-parent"] == "1"
        }

        private static func tokens(_ options: Options) throws -> [String] {
            if let file = options["tokens"] {
                guard let text = LocalFiles.readText(file) else {
                    throw UsageFailure("\(file) cannot be read")
                }
                return text.split(separator: "\n").map(String.init)
            }
            return [try options.required("token")]
        }

        func run() async throws {
            let tellsAll = tellsAll
            let fleet = DeviceFleet(to: addresses, loops: profiles.count > 1 ? 2 : 1) { event in
                if tellsAll || event.isRare { LineOutput.write(event.json) }
            }
            await fleet.add(profiles)
            if connects { fleet.connect(withinMilliseconds: spread) }
            let parent = ParentProcess()
            let deadline = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
            let orders = OrderReader()
            while MonotonicClock.now() < deadline, !(endsWithParent && parent.hasEnded) {
                for line in orders.take() {
                    if await obey(line, fleet) { return await fleet.stop() }
                }
                try? await Task.sleep(for: .milliseconds(5))
            }
            await fleet.stop()
        }

        /// True at the order to quit.
        private func obey(_ line: String, _ fleet: DeviceFleet) async -> Bool {
            guard let addressed = FleetOrder.parse(line) else {
                Progress.say("no order: \(line)")
                return false
            }
            switch addressed.order {
            case .connect(let window): fleet.connect(addressed.devices, withinMilliseconds: window)
            case .drop(let manner, let window):
                fleet.drop(addressed.devices, manner, returningWithinMilliseconds: window)
            case .apply(let seq): fleet.apply(addressed.devices, through: seq)
            case .behave(let applying): fleet.behave(addressed.devices, applying)
            case .send(let text): fleet.send(addressed.devices, text: text)
            case .totals: LineOutput.write((await fleet.totals).json)
            case .quit: return true
            }
            return false
        }
    }
}

/// Whole lines on standard output, from any thread.
enum LineOutput {
    private static let turn = Mutex(())

    static func write(_ bytes: [UInt8]) {
        turn.withLock { _ in Output.write(bytes + [0x0a], to: 1) }
    }
}

/// Lines of standard input, read on a queue that may block, taken where nothing may.
final class OrderReader: Sendable {
    private let lines = Mutex<[String]>([])

    init() {
        let lines = WeakLines(self)
        DispatchQueue(label: "orders").async {
            while let line = readLine(), lines.append(line) {}
        }
    }

    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    private struct WeakLines: Sendable {
        weak let reader: OrderReader?
        init(_ reader: OrderReader) { self.reader = reader }

        func append(_ line: String) -> Bool {
            guard let reader else { return false }
            reader.lines.withLock { $0.append(line) }
            return true
        }
    }
}

extension DeviceEvent {
    /// Something that does not happen with each message.
    fileprivate var isRare: Bool {
        switch happening {
        case .entry, .applied, .badge, .other: false
        default: true
        }
    }
}

extension FleetTotals {
    /// The answer to `totals`.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("event", "totals")
        writer.member("devices", devices)
        writer.member("online", online)
        writer.member("under_way", underWay)
        writer.member("entries", entries)
        writer.member("authentications", authentications)
        writer.key("ends")
        writer.beginObject()
        for (code, count) in ends.sorted(by: { $0.key < $1.key }) {
            writer.key(escaping: "\(code)")
            writer.integer(count)
        }
        writer.endObject()
        writer.key("refusals")
        writer.beginObject()
        for (status, count) in refusals.sorted(by: { $0.key < $1.key }) {
            writer.key(escaping: "\(status)")
            writer.integer(count)
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
