/// What all performances showed, as a table for people and for programs.
enum SceneReport {
    /// Of the devices that died at once only the first few have rows; their figures count all.
    private static let rowsPerScene = 24

    static func of(_ seen: [SceneEvidence]) -> Report {
        var report = Report("n2: \(seen.count) devices; times in milliseconds")
        report.tables = [table(seen)]
        for scene in Scene.allCases { add(scene, seen.filter { $0.scene == scene }, to: &report) }
        report.violations = seen.flatMap { SceneChecker.violations(of: $0) }
        return report
    }

    private static func table(_ seen: [SceneEvidence]) -> RowTable {
        var table = RowTable(
            "runs",
            [
                .init("run", "run"), .init("write_at_ms", "write after post"),
                .init("socket_gone_ms", "socket gone"), .init("due_ms", "due after write"),
                .init("provider_ms", "at provider"), .init("applied_ms", "applied"),
                .init("reason", "because"), .init("state", "ended"), .init("holds", "verdict"),
            ])
        for scene in Scene.allCases {
            for row in seen.filter({ $0.scene == scene }).prefix(rowsPerScene) { table.add(cells(row)) }
        }
        return table
    }

    /// Times count from the write; where there was none, from the materialisation.
    private static func cells(_ seen: SceneEvidence) -> [RowTable.Cell] {
        let start = seen.writtenAt ?? seen.materialisedAt ?? seen.postedAt
        func after(_ time: Int64?) -> RowTable.Cell { RowTable.Cell(time.map { $0 - start }) }
        return [
            .text(seen.name), RowTable.Cell(seen.writtenAt.map { $0 - seen.postedAt }),
            after(seen.socketGoneAt), after(seen.due?.at), after(seen.atProvider), after(seen.appliedAt),
            seen.due.map { .text($0.reason) } ?? .nothing, .text(seen.state),
            .text(SceneChecker.violations(of: seen).isEmpty ? "holds" : "DOES NOT HOLD"),
        ]
    }

    private static func add(_ scene: Scene, _ seen: [SceneEvidence], to report: inout Report) {
        guard !seen.isEmpty else { return }
        let name = scene.rawValue
        report.add("\(name)_devices", "\(name): devices", seen.count)
        let failed = seen.count { !SceneChecker.violations(of: $0).isEmpty }
        report.add("\(name)_failed", "\(name): that do not hold", failed)
        let due = seen.compactMap { seen in seen.due.map { $0.at - (seen.writtenAt ?? seen.postedAt) } }
        if let first = due.min(), let last = due.max() {
            report.add("\(name)_due_first_ms", "\(name): due after the write, earliest", Int(first), "ms")
            report.add("\(name)_due_last_ms", "\(name): due after the write, latest", Int(last), "ms")
        }
        let hops = seen.compactMap { seen in
            seen.due.flatMap { due in seen.atProvider.map { $0 - due.at } }
        }
        if let last = hops.max() {
            report.add("\(name)_hop_ms", "\(name): from due to the provider, longest", Int(last), "ms")
        }
    }
}
