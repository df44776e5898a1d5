package import Domain
import Synchronization

/// The zones of the IANA database by name, each read and taken apart once. Any thread.
///
/// A name that is not known is asked for again each time: names come from clients, and must fill no memory.
package final class TimeZones: Sendable {
    /// The database has about 600 names; past this, the zones read so far are forgotten.
    static let cached = 1_024

    private let read: @Sendable (String) -> [UInt8]?
    private let known = Mutex<[String: ZoneRules]>([:])

    /// Knows UTC alone.
    package static let utcOnly = TimeZones { _ in nil }

    /// - Parameter read: the bytes of a zone's file; it is asked for names of the database's form only. It
    ///   may block for as long as a small local file takes.
    package init(_ read: @escaping @Sendable (String) -> [UInt8]?) { self.read = read }

    /// Nil: no such zone. UTC is known without a database.
    package subscript(_ name: String) -> ZoneRules? {
        if name == ZoneRules.utc.name { return .utc }
        if let zone = known.withLock({ $0[name] }) { return zone }
        guard ZoneRules.isName(name), let bytes = read(name), let zone = ZoneRules(name: name, tzif: bytes)
        else { return nil }
        known.withLock { known in
            if known.count >= Self.cached { known = [:] }
            known[name] = zone
        }
        return zone
    }

    var cachedCount: Int { known.withLock { $0.count } }
}
