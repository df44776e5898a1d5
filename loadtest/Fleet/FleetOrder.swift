/// A line by which another process commands its devices:
/// `WORD [ARGUMENT] [@DEVICE | @FIRST-LAST]`, to all devices without `@`.
enum FleetOrder: Equatable, Sendable {
    /// `connect [MS]`: at a random moment within so long.
    case connect(withinMilliseconds: Int)
    /// `drop close|end|reset [MS]`; with MS they come back within so long.
    case drop(DropManner, returningWithinMilliseconds: Int?)
    /// `apply [SEQ]`: all received without SEQ.
    case apply(through: Int64?)
    /// `behave now|never|MS|batch:N`
    case behave(DeviceProfile.Applying)
    /// `send TEXT`: a frame as it is, to all devices; the text may hold blanks and an `@`.
    case send(String)
    /// `totals`: one line of counts.
    case totals
    /// `quit`
    case quit

    struct Addressed: Equatable, Sendable {
        let order: FleetOrder
        /// Nil: all.
        let devices: Range<Int>?
    }

    /// Nil for what is none.
    static func parse(_ line: String) -> Addressed? {
        if line.hasPrefix("send ") { return Addressed(order: .send(String(line.dropFirst(5))), devices: nil) }
        var words = line.split(separator: " ").map(String.init)
        var devices: Range<Int>?
        if let last = words.last, last.hasPrefix("@") {
            guard let range = range(last.dropFirst()) else { return nil }
            devices = range
            words.removeLast()
        }
        return order(words).map { Addressed(order: $0, devices: devices) }
    }

    private static func order(_ words: [String]) -> FleetOrder? {
        switch (words.first, words.count) {
        case ("connect", 1): .connect(withinMilliseconds: 0)
        case ("connect", 2): milliseconds(words[1]).map { .connect(withinMilliseconds: $0) }
        case ("drop", 2): DropManner(rawValue: words[1]).map { .drop($0, returningWithinMilliseconds: nil) }
        case ("drop", 3):
            if let manner = DropManner(rawValue: words[1]), let window = milliseconds(words[2]) {
                .drop(manner, returningWithinMilliseconds: window)
            } else {
                nil
            }
        case ("apply", 1): .apply(through: nil)
        case ("apply", 2): Int64(words[1]).map { .apply(through: $0) }
        case ("behave", 2): DeviceProfile.Applying(parsing: words[1]).map { .behave($0) }
        case ("totals", 1): .totals
        case ("quit", 1): .quit
        default: nil
        }
    }

    private static func milliseconds(_ text: String) -> Int? { Int(text).flatMap { $0 >= 0 ? $0 : nil } }

    private static func range(_ text: Substring) -> Range<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        switch ends.count {
        case 1: return ends[0].flatMap { $0 >= 0 ? $0..<($0 + 1) : nil }
        case 2:
            guard let first = ends[0], let last = ends[1], first <= last else { return nil }
            return first..<(last + 1)
        default: return nil
        }
    }
}
