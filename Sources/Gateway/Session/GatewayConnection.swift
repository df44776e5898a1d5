import Domain
import Engine
import EventLoop
import Wire

/// One device's WebSocket, on its loop: frames in and out, silence and credentials watched.
///
/// A plain object without lock, queue or task of its own; what the engine says arrives through `LoopLink`.
final class GatewayConnection {
    private enum Phase {
        /// What the upgrade's header told, if anything.
        case unauthenticated(LinkIdentity?)
        case authenticated(LinkState)
        case closing
    }

    let stream: any ByteStream
    let room: GatewayRoom
    private var phase: Phase
    /// Only while a frame or a message is begun: an idle connection holds no parser.
    private var begun: BegunMessage?
    private var budget = FrameBudget()
    private var watch: LinkWatch
    private var timer: TimerToken?
    private var timerRingsAt = Instant(milliseconds: .max)
    /// The highest APPLIED of the frames being read, told once.
    private var pendingApplied: MailboxSeq?

    init(_ stream: any ByteStream, _ identity: LinkIdentity?, in room: GatewayRoom) {
        self.stream = stream
        self.room = room
        phase = .unauthenticated(identity)
        watch = LinkWatch(
            at: room.now().instant, authenticationWithin: Int64(room.settings.authenticationMilliseconds))
    }

    /// Takes the stream over, with what came behind the upgrade request.
    func start(_ leftover: [UInt8]) {
        stream.delegate = self
        stream.gate = room.gate
        armTimer(at: room.now())
        if !leftover.isEmpty { received(leftover[...]) }
    }

    // MARK: - Frames from the device

    private func received(_ bytes: ArraySlice<UInt8>) {
        guard !isClosing else { return }
        let now = room.now()
        watch.heard(at: now.instant)
        var parser =
            begun?.parser
            ?? WebSocketFrameParser(role: .server, messageLimit: room.settings.frameBytes)
        begun = nil
        parser.append(bytes)
        do throws(WebSocketError) {
            while !isClosing, let event = try parser.next() { handle(event, at: now) }
            if !isClosing, !parser.isIdle { begun = BegunMessage(parser) }
        } catch {
            close(error.closeCode, "The frame cannot be read.")
        }
        tellApplied()
    }

    private func handle(_ event: WebSocketEvent, at now: Moment) {
        guard budget.take(at: now.instant, atMost: room.settings.framesPerSecond) else {
            return closeForHaste()
        }
        switch event {
        case .text(let bytes): handle(text: bytes, at: now)
        case .binary: close(LinkCloseCode.policy, "Frames are text.")
        case .ping(let payload): send { $0.pong(payload) }
        case .pong: break
        case .close(let code, _): close(code ?? WebSocketCloseCode(rawValue: 1_000), "")
        }
    }

    private func closeForHaste() { close(LinkCloseCode.policy, "Too many frames in a second.") }

    private func handle(text: [UInt8], at now: Moment) {
        do throws(ClientFrame.Fault) {
            let frame = try ClientFrame(parsing: text)
            room.meters.received(frame.word)
            handle(frame, at: now)
        } catch {
            room.meters.received("unusable")
            guard case .authenticated = phase else {
                return close(LinkCloseCode.policy, "The first frame must be AUTH: \(error.detail)")
            }
            refuse(error.code, error.detail)
        }
    }

    private func handle(_ frame: ClientFrame, at now: Moment) {
        switch (phase, frame) {
        case (.closing, _): return
        case (.unauthenticated(let identity), .authenticate(let authentication)):
            authenticate(authentication, identity, at: now)
        case (.unauthenticated, _): close(LinkCloseCode.policy, "The first frame must be AUTH.")
        case (.authenticated(let state), .authenticate(let authentication)):
            renew(authentication, state.identity, at: now)
        case (.authenticated(let state), .applied(let seq)):
            applied(seq, written: state.cursor?.writtenSeq ?? 0)
        case (.authenticated(let state), .read(let conversation, let seq)):
            tellApplied()
            state.handle.read(conversation, through: seq)
        case (.authenticated(let state), .callApplied(let call)): state.handle.callApplied(call)
        case (.authenticated(let state), .callAnswered(let call)): state.handle.callAnswered(call)
        }
    }

    /// APPLIED is cumulative: of many in one read the highest is enough. What was not written here may lie
    /// beyond the head and be refused: it must not take the others with it.
    private func applied(_ seq: MailboxSeq, written: MailboxSeq) {
        if seq > written { tellApplied() }
        pendingApplied = max(seq, pendingApplied ?? 0)
        if seq > written { tellApplied() }
    }

    private func tellApplied() {
        guard let seq = pendingApplied, let state = link else { return }
        pendingApplied = nil
        state.handle.applied(seq)
    }

    private func refuse(_ code: String, _ detail: String) {
        guard budget.takeUnusable(atMost: room.settings.unusableFrames) else {
            return close(LinkCloseCode.policy, "Too many frames that cannot be used.")
        }
        send { $0.error(code, detail) }
    }

    // MARK: - Credentials

    private func authenticate(
        _ authentication: ClientFrame.Authentication, _ known: LinkIdentity?, at now: Moment
    ) {
        do throws(LinkRefusal) {
            let identity = try identify(authentication.token, known, at: now)
            let handle = room.engine.connect(
                identity.user, as: identity.caller, resume: authentication.resume,
                sink: LoopLink(self, on: stream.loop))
            phase = .authenticated(LinkState(identity, handle))
            room.meters.connected()
            watch.authenticated(until: identity.expiresAt)
            armTimer(at: now)
        } catch {
            close(error)
        }
    }

    private func identify(
        _ token: [UInt8]?, _ known: LinkIdentity?, at now: Moment
    ) throws(LinkRefusal) -> LinkIdentity {
        guard let token else {
            guard let known else { throw .refused }
            return known
        }
        let identity = try room.authenticator.identify(token, peer: peer, at: now.wall)
        if let known, known.user != identity.user || known.device != identity.device { throw .refused }
        return identity
    }

    private var peer: String { stream.peer?.host ?? "unix" }

    /// A later AUTH: the same device with a newer credential. A bad one leaves the present one as it is.
    private func renew(
        _ authentication: ClientFrame.Authentication, _ present: LinkIdentity, at now: Moment
    ) {
        let (limit, weight) = (room.settings.framesPerSecond, room.settings.renewalWeight)
        guard budget.take(at: now.instant, atMost: limit, weight: weight) else { return closeForHaste() }
        guard let token = authentication.token else {
            return refuse("missing_field", "token is required to renew the credential.")
        }
        do throws(LinkRefusal) {
            let identity = try room.authenticator.identify(token, peer: peer, at: now.wall)
            guard identity.user == present.user, identity.device == present.device else {
                return refuse("forbidden", "The credential is another device's.")
            }
            // It could be one from before a remote logout.
            guard identity.issuedAt >= present.issuedAt else {
                return refuse("bad_credential", "The credential is older than the present one, which stays.")
            }
            change { $0.identity = identity }
            watch.authenticated(until: identity.expiresAt)
            armTimer(at: now)
        } catch {
            refuse(
                error == .expired ? "credential_expired" : "bad_credential",
                "The credential is not taken; the present one stays until it expires.")
        }
    }

    // MARK: - Time

    /// The timer is moved only when it must ring earlier.
    private func armTimer(at now: Moment) {
        let delay = watch.milliseconds(from: now, pingEvery: Int64(room.settings.pingMilliseconds))
        let rings = now.instant + delay
        guard rings < timerRingsAt else { return }
        cancelTimer()
        timerRingsAt = rings
        // `end` cancels it, and comes before this object can go.
        timer = stream.loop.timers.arm(afterMilliseconds: Int(delay)) { [unowned self] in timerRang() }
    }

    private func cancelTimer() {
        if let timer { stream.loop.timers.cancel(timer) }
        timer = nil
        timerRingsAt = Instant(milliseconds: .max)
    }

    private func timerRang() {
        timer = nil
        timerRingsAt = Instant(milliseconds: .max)
        let now = room.now()
        switch watch.ring(at: now, pingEvery: Int64(room.settings.pingMilliseconds)) {
        case .goOn: break
        case .ping: send { $0.ping() }
        case .unheard: return closeUnheard()
        case .unauthenticated: return close(LinkCloseCode.policy, "No AUTH came in time.")
        case .credentialExpired: return close(LinkCloseCode.expired, "The credential has expired.")
        }
        if !isClosing { armTimer(at: now) }
    }

    // MARK: - State

    private var isClosing: Bool { if case .closing = phase { true } else { false } }

    var link: LinkState? { if case .authenticated(let state) = phase { state } else { nil } }

    func change(_ body: (inout LinkState) -> Void) {
        guard case .authenticated(var state) = phase else { return }
        phase = .closing
        body(&state)
        phase = .authenticated(state)
    }

    func send(_ write: (inout ServerFrames) -> Void) {
        guard !isClosing else { return }
        var frames = ServerFrames()
        write(&frames)
        stream.send(frames.bytes)
        checkBacklog()
    }

    /// What the client has not taken, without what is catch-up.
    func checkBacklog() {
        let floor = max(stream.sentOffset, link?.catchUpEnd ?? 0)
        guard stream.queuedOffset > floor,
            stream.queuedOffset - floor > UInt64(room.settings.unsentLiveBytes)
        else { return }
        close(LinkCloseCode.tooSlow, "The client reads too slowly; everything is in the mailbox.")
    }

    // MARK: - The end

    private func close(_ refusal: LinkRefusal) {
        switch refusal {
        case .expired: close(LinkCloseCode.expired, "The credential has expired.")
        case .refused: close(LinkCloseCode.refused, "The credential is refused.")
        }
    }

    /// Says why, tells the engine at once, and lets what is queued leave.
    func close(_ code: WebSocketCloseCode, _ reason: String, _ cause: CloseCause = .gone) {
        guard !isClosing else { return }
        end(cause, code: Int(code.rawValue))
        guard maySayGoodbye else { return stream.close(.immediately) }
        var frames = ServerFrames()
        frames.close(code, reason)
        stream.send(frames.bytes)
        stream.close(.gracefully)
    }

    /// Past the gate nothing queued may leave; a close frame alone hands nothing over, and tells the device
    /// to look for the new owner.
    private var maySayGoodbye: Bool {
        guard stream.gate?.isOpen == false else { return true }
        guard stream.unsentByteCount == 0 else { return false }
        stream.gate = nil
        return true
    }

    /// The peer answers nothing any more: there is nobody to tell why.
    private func closeUnheard() {
        end(.gone, code: 1_006)
        stream.close(.immediately)
    }

    /// Reports the end to the engine, exactly once.
    private func end(_ cause: CloseCause, code: Int) {
        tellApplied()
        let wasConnected = link
        phase = .closing
        cancelTimer()
        if let timer = wasConnected?.pending?.timer { stream.loop.timers.cancel(timer) }
        room.meters.closed(code, wasConnected: wasConnected != nil)
        wasConnected?.handle.closed(cause, silentFor: room.now().instant - watch.heardAt)
    }
}

extension GatewayConnection: ByteStreamDelegate {
    func byteStream(_ stream: any ByteStream, received bytes: ArraySlice<UInt8>) { received(bytes) }

    /// A client that ends without a close frame is gone.
    func byteStreamReachedEnd(_ stream: any ByteStream) {
        if !isClosing { end(.gone, code: 1_006) }
        stream.close(.gracefully)
    }

    func byteStreamProgressed(_ stream: any ByteStream) { progressed() }

    func byteStreamClosed(_ stream: any ByteStream, error: StreamError?) {
        if !isClosing { end(.gone, code: 1_006) }
        room.remove(self)
    }
}

/// What has come of a frame or message that is not whole.
private final class BegunMessage {
    let parser: WebSocketFrameParser

    init(_ parser: WebSocketFrameParser) { self.parser = parser }
}
