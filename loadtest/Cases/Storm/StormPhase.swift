/// A while of a storm run: how fast the server was, and how much memory it held.
struct StormPhase: Sendable {
    let name: String
    /// From a message's sending to its ENTRY at a device that was there.
    var entries = Latencies()
    /// From a message's sending to its answer.
    var answers = Latencies()
    private(set) var residentMaximum = 0
    private(set) var residentLast = 0
    /// From the drop until every device was back.
    var backMilliseconds: Int?

    init(name: String) { self.name = name }

    mutating func note(_ resident: Int) {
        residentMaximum = max(residentMaximum, resident)
        residentLast = resident
    }

    var line: String {
        func text(_ latencies: Latencies) -> String {
            [50, 99].map { Decimal.text((latencies.percentile($0) ?? .nan) / 1_000) }.joined(separator: "/")
        }
        return "\(name): ENTRY \(text(entries)) ms, answer \(text(answers)) ms (median/99 of 100), "
            + "\(Decimal.text(Double(residentLast) / 1e6)) MB"
    }

    static func table(_ phases: [StormPhase]) -> RowTable {
        var table = RowTable(
            "phases",
            [
                .init("phase", "phase"), .init("entry_p50_us", "ENTRY, median µs"),
                .init("entry_p99_us", "99 of 100"), .init("answer_p50_us", "answer, median µs"),
                .init("answer_p99_us", "99 of 100"), .init("resident_max", "RSS, most kB"),
                .init("resident_last", "at the end"), .init("back_ms", "all back after ms"),
            ])
        for phase in phases {
            table.add([
                .text(phase.name), .init(whole(phase.entries, 50)), .init(whole(phase.entries, 99)),
                .init(whole(phase.answers, 50)), .init(whole(phase.answers, 99)),
                .number(Int64(phase.residentMaximum / 1_024)), .number(Int64(phase.residentLast / 1_024)),
                .init(phase.backMilliseconds.map(Int64.init)),
            ])
        }
        return table
    }

    private static func whole(_ latencies: Latencies, _ percent: Double) -> Int64? {
        latencies.percentile(percent).map { Int64($0) }
    }

    /// That the last calm is like the first. The machine is shared, so that twice its median and 50 ms are
    /// allowed, and for one in a hundred three times and 250 ms; and that the second half of the
    /// storms takes no more memory: a tenth and 8 MB are allowed, for the heap is long in settling.
    static func violations(_ phases: [StormPhase]) -> [String] {
        guard let before = phases.first, let after = phases.last, phases.count >= 3 else {
            return ["there was no storm to judge"]
        }
        var found: [String] = []
        for (percent, factor, rest) in [(50.0, 2.0, 50_000.0), (99.0, 3.0, 250_000.0)] {
            guard let calm = before.entries.percentile(percent), let later = after.entries.percentile(percent)
            else {
                found.append("no entry reached a device in the calm before or after")
                break
            }
            if later > factor * calm + rest {
                found.append(
                    "the latency does not recover: \(Int(percent)) of 100 entries took up to "
                        + "\(Decimal.text(calm)) µs before and \(Decimal.text(later)) µs after")
            }
        }
        let calms = stride(from: 2, to: phases.count, by: 2).map { phases[$0].residentLast }
        let middle = calms[(calms.count - 1) / 2]
        if Double(after.residentLast) > Double(middle) * 1.1 + 8e6 {
            found.append(
                "the memory grows from storm to storm: \(middle) bytes halfway, "
                    + "\(after.residentLast) after the last")
        }
        return found
    }
}
