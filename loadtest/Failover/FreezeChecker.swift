/// Something that a connected device noticed.
struct PhoneNote: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case welcome
        /// An entry, a badge, a delta, an error: anything but the end.
        case frame
        case ended(code: UInt16)
        case refused(status: Int)
    }

    let device: Int
    /// The machine's boot clock in nanoseconds.
    let time: UInt64
    let kind: Kind
}

/// What was seen of an owner that was paused past its lease, from the moment it woke up.
struct FreezeEvidence: Equatable, Sendable {
    /// Its connected devices when it woke, who had been its own all the time.
    var connected: Set<Int> = []
    /// What they noticed since, in order.
    var notes: [PhoneNote] = []
    /// How many devices that came to it while it slept got AUTH_OK from it.
    var lateWelcomes = 0
    /// Devices that had a WebSocket and told only while it slept who they are, and the frames they got.
    var patient = 0
    var patientFrames: [String] = []
    /// Bytes that devices which had read nothing got: what the kernels held when it woke, and in all.
    var slowBefore: [Int] = []
    var slowAfter: [Int] = []
    var rowsBefore = SharedPostgres.EpochRows()
    var rowsAfter = SharedPostgres.EpochRows()
    /// Requests that its provider got since.
    var pushes = 0
    /// Whether it answered 202 since.
    var hasAcknowledged = false
    /// What a new request was answered, 0 for none.
    var postStatus = 0
    var isStandby = false
    var hasEnded = false
    /// Whether the lease is still its successor's.
    var leaseIsSuccessors = true
}

/// An owner that wakes up after its lease commits nothing, hands nothing over, and knows that it is none.
enum FreezeChecker {
    /// A close frame and no more.
    static let closeFrameBytes = 127

    static func violations(of seen: FreezeEvidence) -> [String] {
        var found = sockets(seen)
        if seen.rowsAfter != seen.rowsBefore {
            found.append("it committed: \(seen.rowsBefore) became \(seen.rowsAfter)")
        }
        if seen.pushes > 0 { found.append("its provider got \(seen.pushes) requests") }
        if seen.hasAcknowledged { found.append("it acknowledged messages") }
        if seen.postStatus != 503 { found.append("a new request was answered \(seen.postStatus), not 503") }
        if seen.hasEnded { found.append("its process ended") }
        if !seen.isStandby && !seen.hasEnded { found.append("it does not say that it is a standby") }
        if !seen.leaseIsSuccessors { found.append("the lease is not its successor's any more") }
        return found.map { "the paused owner: \($0)" }
    }

    /// Until its connection has ended, a device hears nothing.
    private static func sockets(_ seen: FreezeEvidence) -> [String] {
        var frames = 0
        var over: Set<Int> = []
        for note in seen.notes where seen.connected.contains(note.device) && !over.contains(note.device) {
            switch note.kind {
            case .ended: over.insert(note.device)
            case .frame, .welcome: frames += 1
            case .refused: break
            }
        }
        let open = seen.connected.subtracting(over)
        var found: [String] = []
        if frames > 0 { found.append("its devices got \(frames) frames") }
        if seen.lateWelcomes > 0 { found.append("it welcomed \(seen.lateWelcomes) devices that came late") }
        if let frame = seen.patientFrames.first {
            found.append("a device that said who it is got \(frame)")
        }
        let handed = zip(seen.slowBefore, seen.slowAfter).map { $1 - $0 }.max() ?? 0
        if handed > closeFrameBytes { found.append("a device that had read nothing got \(handed) bytes") }
        if seen.slowBefore.isEmpty || seen.slowBefore.contains(where: { $0 >= HeavyMailbox.bytes }) {
            found.append("no device left bytes in its buffers: nothing is shown")
        }
        if seen.patient == 0 { found.append("no device waited to say who it is: nothing is shown") }
        if !open.isEmpty { found.append("\(open.count) devices were not let go of") }
        if seen.connected.isEmpty { found.append("it had no devices: nothing is shown") }
        return found
    }
}
