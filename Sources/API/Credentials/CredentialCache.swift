import Domain
import Wire

/// Credentials whose signature was found good, by the hash of the token: a busy device is verified once.
///
/// Bounded: when it is full it is emptied, which costs a verification each and needs no order.
struct CredentialCache {
    static let capacity = 20_000

    struct Entry {
        let tenant: TenantKey
        let claims: DeviceClaims
    }

    private var entries: [[UInt8]: Entry] = [:]

    subscript(_ hash: [UInt8]) -> Entry? { entries[hash] }

    mutating func insert(_ entry: Entry, _ hash: [UInt8]) {
        if entries.count >= Self.capacity { entries = [:] }
        entries[hash] = entry
    }

    mutating func clear() { entries = [:] }

    var count: Int { entries.count }
}
