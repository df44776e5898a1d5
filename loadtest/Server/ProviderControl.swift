import EventLoop
import Wire

/// Simulated providers, as their control endpoint shows and scripts them.
protocol ProviderControl: Sendable {
    var control: SocketAddress { get }
    /// Where they take pushes; nil if it is not known.
    var pushURL: String? { get }
    /// Carries the calls.
    var loop: EventLoop { get }
}

/// Simulated providers that somebody else started.
struct GivenProviders: ProviderControl {
    let control: SocketAddress
    let pushURL: String? = nil
    let loop: EventLoop
}

extension ProviderControl {
    /// Pushes received since the start or the last reset.
    func received() async throws(LoadtestFailure) -> Int {
        let statistics = try await WebCall.json(.get, "/stats", to: control, on: loop)
        return Int(statistics["received"]?.integer ?? 0)
    }

    /// What arrived after a sequence number, oldest first.
    func pushes(after sequence: Int) async throws(LoadtestFailure) -> [ReceivedPush] {
        let list = try await WebCall.json(
            .get, "/pushes?after=\(sequence)&limit=10000000", to: control, on: loop)
        return list.elements.map { ReceivedPush($0) }
    }

    /// From now on these tokens are answered so: a word or a status, as the simulator knows them.
    ///
    /// - Parameters:
    ///   - delay: milliseconds from the request to its answer.
    ///   - times: how many answers are such; nil: all.
    func script(_ tokens: [String], _ answer: String, delay: Int = 0, times: Int? = nil)
        async throws(LoadtestFailure)
    {
        let address = control
        let often = times.map { #","times":\#($0)"# } ?? ""
        let body = Array(#"{"answer":"\#(answer)","delay_ms":\#(delay)\#(often)}"#.utf8)
        let answers = try await RequestBatch.run(tokens.count, to: address, on: loop) { index in
            HTTPRequestEncoder.bytes(
                .post, "/tokens/\(tokens[index])", host: address, bearer: "-", body: body)
        }
        if let bad = answers.first(where: { $0.status != 204 }) {
            throw LoadtestFailure("the simulated providers refuse a script: \(bad.status)")
        }
    }

    /// The body of the newest push, as it came.
    func newestPayload() async throws(LoadtestFailure) -> [UInt8] {
        let list = try await WebCall.json(.get, "/pushes?limit=1", to: control, on: loop)
        for push in list.elements { if let payload = push["payload"] { return Array(payload.rawBytes) } }
        throw LoadtestFailure("no push has arrived")
    }
}
