/// What N-6 does at random: kinds, and how often each of a hundred.
enum BadgeOperation: String, CaseIterable, Sendable {
    case message, mention, silentMessage, uncountedMessage
    case backendRead, deviceRead, gatewayRead, readAll, readMessage
    case mute, timedMute, unmute, recall, leave
    case connect, disconnect

    var weight: Int {
        switch self {
        case .message: 30
        case .mention: 10
        case .silentMessage, .uncountedMessage: 3
        case .backendRead, .deviceRead, .gatewayRead: 6
        case .readAll, .readMessage: 3
        case .mute, .unmute: 4
        case .timedMute: 3
        case .recall: 4
        case .leave: 1
        case .connect, .disconnect: 7
        }
    }

    static func any(of kinds: [BadgeOperation], _ random: inout SeededGenerator) -> BadgeOperation {
        var left = Int.random(in: 0..<max(1, kinds.reduce(0) { $0 + $1.weight }), using: &random)
        for kind in kinds {
            if left < kind.weight { return kind }
            left -= kind.weight
        }
        return .message
    }
}
