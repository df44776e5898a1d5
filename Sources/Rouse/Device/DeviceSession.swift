import EventLoop
import Wire

/// A device that stays connected: authenticates, applies and reads what arrives, and comes back after a loss.
/// Lives on one loop.
final class DeviceSession {
    struct Behaviour: Sendable {
        var applies = true
        var reads = false
        var fromHead = false
        var answers = false
    }

    /// What there is to tell the person.
    enum Notice: Sendable {
        case frame([UInt8])
        case disconnected(code: UInt16?, reason: String, reconnectingInMilliseconds: Int?)
        case moved(MailboxPlace)
    }

    /// Close codes after which the device must not come back by itself.
    private static let finalCodes: Set<UInt16> = [4001, 4003, 4010]
    private static let shortestPause = 500
    private static let longestPause = 30_000

    private let address: WebAddress
    private let tls: TLSContext?
    private let loop: EventLoop
    private let behaviour: Behaviour
    private let credential: () throws -> String
    private let notice: (Notice) -> Void
    private let ended: () -> Void
    private var place: MailboxPlace?
    private var connection: GatewayConnection?
    private var pause = shortestPause
    private var timer: TimerToken?
    private var isStopping = false

    /// Call everything on the loop; `notice` and `ended` are called there.
    init(
        address: WebAddress, tls: TLSContext?, loop: EventLoop, behaviour: Behaviour, place: MailboxPlace?,
        credential: @escaping () throws -> String, notice: @escaping (Notice) -> Void,
        ended: @escaping () -> Void
    ) {
        self.address = address
        self.tls = tls
        self.loop = loop
        self.behaviour = behaviour
        self.place = place
        self.credential = credential
        self.notice = notice
        self.ended = ended
    }

    func start() {
        guard !isStopping else { return }
        connection = GatewayConnection(to: address, tls: tls, on: loop) { [self] in take($0) }
    }

    /// Closes cleanly; `ended` follows.
    func stop() {
        isStopping = true
        if let timer { loop.timers.cancel(timer) }
        guard let connection else { return ended() }
        connection.close()
    }

    private func take(_ event: GatewayConnection.Event) {
        switch event {
        case .opened: authenticate()
        case .text(let bytes): read(bytes)
        case .closed(let code, let reason): lost(code, reason)
        }
    }

    private func authenticate() {
        guard let credential = try? credential() else { return stop() }
        connection?.send(
            DeviceFrame.auth(credential: credential, place: place, fromHead: behaviour.fromHead))
    }

    private func read(_ bytes: [UInt8]) {
        notice(.frame(bytes))
        guard let frame = (try? JSONDocument(parsing: bytes))?.root else { return }
        switch frame["type"]?.string {
        case "AUTH_OK": settle(frame)
        case "ENTRY": apply(frame)
        case "CALL": ring(frame)
        default: break
        }
    }

    /// The place in the mailbox begins anew where the mailbox does.
    private func settle(_ frame: JSONNode) {
        pause = Self.shortestPause
        guard let mailbox = frame["mailbox_id"]?.string, place?.mailboxID != mailbox else { return }
        let start = behaviour.fromHead && place == nil ? frame["mailbox_seq"]?.integer ?? 0 : 0
        place = MailboxPlace(mailboxID: mailbox, appliedSeq: start)
    }

    private func apply(_ frame: JSONNode) {
        guard let seq = frame["mailbox_seq"]?.integer, behaviour.applies else { return }
        connection?.send(DeviceFrame.applied(seq))
        if place != nil, seq > (place?.appliedSeq ?? 0) {
            place?.appliedSeq = seq
            if let place { notice(.moved(place)) }
        }
        guard behaviour.reads, frame["kind"]?.string == "message",
            let conversation = frame["conversation_id"]?.string
        else { return }
        connection?.send(DeviceFrame.read(conversation, seq))
    }

    private func ring(_ frame: JSONNode) {
        guard let call = frame["call_id"]?.string, behaviour.applies else { return }
        connection?.send(DeviceFrame.callApplied(call))
        if behaviour.answers { connection?.send(DeviceFrame.callAnswered(call)) }
    }

    private func lost(_ code: UInt16?, _ reason: String) {
        connection = nil
        guard !isStopping else { return ended() }
        guard code.map({ !Self.finalCodes.contains($0) }) ?? true else {
            notice(.disconnected(code: code, reason: reason, reconnectingInMilliseconds: nil))
            return ended()
        }
        // Full jitter: a thousand devices of a server that restarts do not come back in one moment.
        let wait = Int.random(in: 0...pause)
        pause = min(pause * 2, Self.longestPause)
        notice(.disconnected(code: code, reason: reason, reconnectingInMilliseconds: wait))
        timer = loop.timers.arm(afterMilliseconds: wait) { [self] in start() }
    }
}
