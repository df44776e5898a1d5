/// Rules of the contract that a harness may switch off, to show that its checks would see them missing.
///
/// Never part of a tenant's policy: a process is started with them (`rouse serve --disable-rule NAME`).
package struct Rules: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// PD-1: another device of the user that is online never cancels a push.
    package static let eachDeviceDecides = Rules(rawValue: 1 << 0)
    /// PUSHED is not proof of receipt: it moves a hold and deletes nothing.
    package static let pushedIsNoProof = Rules(rawValue: 1 << 1)
    /// A token that its provider calls dead is deleted.
    package static let deadTokensGo = Rules(rawValue: 1 << 2)
    /// When the last connection of a device closes, its holds fall due.
    package static let closeReleasesHolds = Rules(rawValue: 1 << 3)
    /// Past its lease an owner hands over nothing more.
    package static let leaseFences = Rules(rawValue: 1 << 4)
    /// A muted conversation makes tasks for mentions only.
    package static let mutesSuppress = Rules(rawValue: 1 << 5)
    /// A read elsewhere cancels what was not handed over, and covers what was.
    package static let readsRevoke = Rules(rawValue: 1 << 6)
    /// A push carries the badge of the moment at which it is built.
    package static let badgeOfNow = Rules(rawValue: 1 << 7)
    /// What passes a limit is dropped.
    package static let limitsDrop = Rules(rawValue: 1 << 8)
    /// Inside the user's quiet hours only mentions push.
    package static let quietHours = Rules(rawValue: 1 << 9)

    /// By the name that the command line takes, in the order of their bits.
    package static let named: [(name: String, rule: Rules)] = [
        ("each-device-decides", .eachDeviceDecides),
        ("pushed-is-no-proof", .pushedIsNoProof),
        ("dead-tokens-go", .deadTokensGo),
        ("close-releases-holds", .closeReleasesHolds),
        ("lease-fences", .leaseFences),
        ("mutes-suppress", .mutesSuppress),
        ("reads-revoke", .readsRevoke),
        ("badge-of-now", .badgeOfNow),
        ("limits-drop", .limitsDrop),
        ("quiet-hours", .quietHours),
    ]

    package var names: [String] { Self.named.filter { contains($0.rule) }.map(\.name) }
}
