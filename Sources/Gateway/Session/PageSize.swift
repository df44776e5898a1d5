/// How many entries the next page of a catch-up asks for: entries may be sixty bytes or sixty kilobytes, and
/// a page is held in memory until the client has taken it. Pure.
struct PageSize: Equatable {
    /// Before anything is known of the mailbox.
    static let first = 32
    /// What a page should weigh once it is written as frames.
    static let wantedBytes = 131_072

    private(set) var entries = Self.first

    /// Learns from a page that was written.
    mutating func wrote(entries count: Int, bytes: Int, atMost limit: Int) {
        guard count > 0 else { return }
        entries = max(1, min(limit, Self.wantedBytes * count / max(1, bytes)))
    }
}
