import Wire

/// Whether this process can do its work.
package struct Readiness: Equatable, Sendable {
    /// What is missing, as words (`database`, `migrations`, `lease`, `senders`, `standby`); empty: ready.
    package var missing: [String]

    package init(missing: [String] = []) { self.missing = missing }

    package var isReady: Bool { missing.isEmpty }
}

/// Told by the program, which alone knows all parts.
package protocol HealthReporting: Sendable {
    /// Another process owns the data: everything but health is answered 503. Called for each request.
    var isStandby: Bool { get }
    func readiness() async -> Readiness
}

/// `/healthz` and `/readyz`, on both listeners.
struct HealthResource: Sendable {
    let health: any HealthReporting

    var routes: [Route] {
        [
            Route(
                .get, "/healthz", "Alive.", [Route.Outcome(200, "Health")],
                .anyone { _, answer throws(Problem) in
                    answer.json { writer in
                        writer.beginObject()
                        writer.member("status", "ok")
                        writer.endObject()
                    }
                }),
            Route(
                .get, "/readyz", "Ready, or what is missing.",
                [Route.Outcome(200, "Readiness"), Route.Outcome(503, "Readiness")],
                .anyone { _, answer throws(Problem) in
                    let health = health
                    Task {
                        let readiness = await health.readiness()
                        answer.json(readiness.isReady ? 200 : 503) { $0.readiness(readiness) }
                    }
                }),
        ]
    }
}

extension JSONWriter {
    fileprivate mutating func readiness(_ readiness: Readiness) {
        beginObject()
        member("ready", readiness.isReady)
        key("missing")
        beginArray()
        for word in readiness.missing { string(word) }
        endArray()
        endObject()
    }
}
