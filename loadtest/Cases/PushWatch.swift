/// Gathers what the providers receive, while a case runs. Used from one task.
struct PushWatch: Sendable {
    private let providers: any ProviderControl
    private let tokens: @Sendable (String) -> Bool
    private var last = 0
    /// In the order of arrival, of the run's tokens only.
    private(set) var pushes: [ReceivedPush] = []

    /// Begins after what the providers have already received.
    init(_ providers: any ProviderControl, tokens: @escaping @Sendable (String) -> Bool = { _ in true })
        async throws(LoadtestFailure)
    {
        self.providers = providers
        self.tokens = tokens
        last = try await providers.pushes(after: 0).map(\.sequence).max() ?? 0
    }

    mutating func look() async throws(LoadtestFailure) {
        let new = try await providers.pushes(after: last)
        last = new.last?.sequence ?? last
        pushes += new.filter { tokens($0.token) }
    }

    /// Looks until so many have come and then none for a moment, or none comes any more.
    mutating func await(_ count: Int, patienceSeconds: Int = 20) async throws(LoadtestFailure) {
        var quiet = 0
        while quiet < patienceSeconds * 5 {
            let before = pushes.count
            try await look()
            quiet = pushes.count == before ? quiet + 1 : 0
            if pushes.count >= count, quiet >= 2 { return }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    var byToken: [String: [ReceivedPush]] { Dictionary(grouping: pushes, by: \.token) }
}
