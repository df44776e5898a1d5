/// A way for a client to vanish, to fall silent, or to answer at the last moment, and what must follow.
enum Scene: String, CaseIterable, Sendable {
    /// The link is cut, then `kill -9`: no FIN, no RST.
    case zombie
    /// The same, for many devices of one client process at once.
    case zombies
    /// The same, while the user's other device is online and applies.
    case other
    /// SIGSTOP: its kernel acknowledges the bytes, nobody reads them.
    case frozen
    /// SIGSTOP, then SIGCONT one second before the window closes.
    case thawed
    /// Half open: the server's side loses interface, route or neighbour.
    case route
    /// A clean close with un-applied entries: a close frame, or a plain FIN.
    case closed
    /// APPLIED one moment before each deadline, and beside it a twin that stays silent.
    case applied

    /// What must follow the message.
    enum Expectation: Equatable, Sendable {
        /// Written, and yet due before the window closes: the socket's death shows first.
        case dueWithinWindow
        /// Written, and due when the window closes: not earlier, and not much later.
        case dueAtWindowEnd
        /// Never wholly written, and due when the grace is over.
        case dueAtGraceEnd
        /// Due at once when the client closed.
        case dueAtClose
        /// No push, and the record says that the device applied.
        case applied
        /// The same, of an entry that was never wholly written.
        case appliedUnwritten
    }
}

extension Scene {
    /// The scenes that a comma-separated list names; nil if one is unknown.
    static func list(_ text: String) -> [Scene]? {
        if text == "all" { return allCases }
        let scenes = text.split(separator: ",").map { Scene(rawValue: String($0)) }
        return scenes.isEmpty || scenes.contains(nil) ? nil : scenes.compactMap { $0 }
    }
}
