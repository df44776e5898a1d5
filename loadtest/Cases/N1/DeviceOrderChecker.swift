/// That a connected device got its mailbox whole, in order, and acknowledged all of it.
enum DeviceOrderChecker {
    /// - Parameters:
    ///   - name: of the device, for the findings.
    ///   - expected: the numbers of the messages that were acknowledged for its user; nil: not looked at.
    static func findings(
        _ name: (Int) -> String, _ devices: [DeviceObservation], head: (Int) -> Int64,
        expected: (Int) -> [Int]?
    ) -> Findings {
        var found = Findings()
        for (number, seen) in devices.enumerated() {
            for violation in seen.violations {
                found.add("a device was sent its entries wrongly", "\(name(number)): \(violation)")
            }
            if seen.lastSeq != head(number) {
                found.add(
                    "a device did not receive its whole mailbox",
                    "\(name(number)): up to \(seen.lastSeq), the head is \(head(number))")
            }
            if let expected = expected(number) { compare(name(number), seen, expected, &found) }
        }
        return found
    }

    private static func compare(
        _ name: String, _ seen: DeviceObservation, _ expected: [Int], _ found: inout Findings
    ) {
        var counts: [Int32: Int] = [:]
        for entry in seen.seen {
            if entry.receivedAt == 0 { found.add("an entry was never received", "\(name)") }
            counts[entry.message, default: 0] += 1
        }
        for message in expected {
            switch counts.removeValue(forKey: Int32(message)) ?? 0 {
            case 1: break
            case 0:
                found.add(
                    "a device did not receive a message",
                    "\(name): \(RequestTemplate.messageID(message))")
            case let count:
                found.add(
                    "a device received a message under several seqs",
                    "\(name): \(RequestTemplate.messageID(message)) under \(count)")
            }
        }
        for (message, _) in counts.sorted(by: { $0.key < $1.key }) {
            found.add("a device received what was not sent to it", "\(name): message \(message)")
        }
    }
}
