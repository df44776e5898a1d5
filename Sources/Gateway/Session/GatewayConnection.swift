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
    private let peer: String
    private var phase: Phase
    private var parser: WebSocketFrameParser
    private var budget: FrameBudget
    private var lastHeard: Instant
    private var missedPings = 0
    private var silenceTimer: TimerToken?
    private var credentialTimer: TimerToken?
    private var stateTimer: TimerToken?

    init(_ stream: any ByteStream, _ identity: LinkIdentity?, in room: GatewayRoom) {
        self.stream = stream
        self.room = room
        peer = stream.peer?.host ?? "unix"
        phase = .unauthenticated(identity)
        parser = WebSocketFrameParser(role: .server, messageLimit: room.settings.frameBytes)
        budget = FrameBudget(
            perSecond: room.settings.framesPerSecond, unusable: room.settings.unusableFrames)
        lastHeard = room.now().instant
    }

    /// Takes the stream over, with what came behind the upgrade request.
    func start(_ leftover: [UInt8]) {
        stream.delegate = self
        stream.gate = room.gate
        armCredentialTimer(afterMilliseconds: room.settings.authenticationMilliseconds)
        armSilenceTimer(afterMilliseconds: room.settings.pingMilliseconds)
        if !leftover.isEmpty { received(leftover[...]) }
    }

    // MARK: - Frames from the device

    private func received(_ bytes: ArraySlice<UInt8>) {
        guard !isClosing else { return }
        lastHeard = room.now().instant
        missedPings = 0
        parser.append(bytes)
        do throws(WebSocketError) {
            while !isClosing, let event = try parser.next() { handle(event) }
        } catch {
            close(error.closeCode, "The frame cannot be read.")
        }
        tellApplied()
    }

    private func handle(_ event: WebSocketEvent) {
        guard budget.take(at: lastHeard) else {
            return close(LinkCloseCode.policy, "Too many frames in a second.")
        }
        switch event {
        case .text(let bytes): handle(text: bytes)
        case .binary: close(LinkCloseCode.policy, "Frames are text.")
        case .ping(let payload): send { $0.pong(payload) }
        case .pong: break
        case .close(let code, _): close(code ?? WebSocketCloseCode(rawValue: 1_000), "")
        }
    }

    private func handle(text: [UInt8]) {
        do throws(ClientFrame.Fault) {
            let frame = try ClientFrame(parsing: text)
            room.meters.received(frame.word)
            handle(frame)
        } catch {
            room.meters.received("unusable")
            guard case .authenticated = phase else {
                return close(LinkCloseCode.policy, "The first frame must be AUTH: \(error.detail)")
            }
            refuse(error.code, error.detail)
        }
    }

    private func handle(_ frame: ClientFrame) {
        switch (phase, frame) {
        case (.closing, _): return
        case (.unauthenticated(let identity), .authenticate(let authentication)):
            authenticate(authentication, identity)
        case (.unauthenticated, _): close(LinkCloseCode.policy, "The first frame must be AUTH.")
        case (.authenticated, .authenticate(let authentication)): renew(authentication)
        case (.authenticated(let state), .applied(let seq)):
            change { $0.pendingApplied = max(seq, state.pendingApplied ?? 0) }
        case (.authenticated(let state), .read(let conversation, let seq)):
            tellApplied()
            state.handle.read(conversation, through: seq)
        }
    }

    /// APPLIED is cumulative: of many in one read the highest is enough.
    private func tellApplied() {
        guard let state = link, let seq = state.pendingApplied else { return }
        change { $0.pendingApplied = nil }
        state.handle.applied(seq)
    }

    private func refuse(_ code: String, _ detail: String) {
        guard budget.takeUnusable() else {
            return close(LinkCloseCode.policy, "Too many frames that cannot be used.")
        }
        send { $0.error(code, detail) }
    }

    // MARK: - Credentials

    private func authenticate(_ authentication: ClientFrame.Authentication, _ known: LinkIdentity?) {
        do throws(LinkRefusal) {
            let identity = try identify(authentication.token, known)
            let handle = room.engine.connect(
                identity.user, as: identity.caller, resume: authentication.resume,
                sink: LoopLink(self, on: stream.loop))
            phase = .authenticated(LinkState(identity, handle))
            room.meters.connected()
            armExpiry(identity)
        } catch {
            close(error)
        }
    }

    private func identify(_ token: [UInt8]?, _ known: LinkIdentity?) throws(LinkRefusal) -> LinkIdentity {
        guard let token else {
            guard let known else { throw .refused }
            return known
        }
        let identity = try room.authenticator.identify(token, peer: peer, at: room.now().wall)
        if let known, known.user != identity.user || known.device != identity.device { throw .refused }
        return identity
    }

    /// A later AUTH: the same device with a newer credential. A bad one leaves the present one as it is.
    private func renew(_ authentication: ClientFrame.Authentication) {
        guard let state = link else { return }
        guard let token = authentication.token else {
            return refuse("missing_field", "token is required to renew the credential.")
        }
        do throws(LinkRefusal) {
            let identity = try room.authenticator.identify(token, peer: peer, at: room.now().wall)
            guard identity.user == state.identity.user, identity.device == state.identity.device else {
                return refuse("forbidden", "The credential is another device's.")
            }
            change { $0.identity = identity }
            armExpiry(identity)
        } catch {
            refuse(
                error == .expired ? "credential_expired" : "bad_credential",
                "The credential is not taken; the present one stays until it expires.")
        }
    }

    private func armExpiry(_ identity: LinkIdentity) {
        let left = max(0, identity.expiresAt - room.now().wall)
        armCredentialTimer(afterMilliseconds: Int(left))
    }

    private func armCredentialTimer(afterMilliseconds delay: Int) {
        if let credentialTimer { stream.loop.timers.cancel(credentialTimer) }
        credentialTimer = stream.loop.timers.arm(afterMilliseconds: delay) { [weak self] in
            self?.credentialTimerRang()
        }
    }

    private func credentialTimerRang() {
        credentialTimer = nil
        switch phase {
        case .unauthenticated: close(LinkCloseCode.policy, "No AUTH came in time.")
        case .authenticated(let state):
            // The wall clock may have been set back since.
            guard state.identity.expiresAt <= room.now().wall else { return armExpiry(state.identity) }
            close(LinkCloseCode.expired, "The credential has expired.")
        case .closing: return
        }
    }

    // MARK: - Silence

    private func armSilenceTimer(afterMilliseconds delay: Int) {
        silenceTimer = stream.loop.timers.arm(afterMilliseconds: delay) { [weak self] in
            self?.silenceTimerRang()
        }
    }

    private func silenceTimerRang() {
        guard !isClosing else { return }
        let interval = room.settings.pingMilliseconds
        let silence = Int(room.now().instant - lastHeard)
        guard silence >= interval else { return armSilenceTimer(afterMilliseconds: interval - silence) }
        guard missedPings < 2 else { return closeUnheard() }
        missedPings += 1
        send { $0.ping() }
        armSilenceTimer(afterMilliseconds: interval)
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

    func armStateTimer(afterMilliseconds delay: Int) {
        guard stateTimer == nil else { return }
        stateTimer = stream.loop.timers.arm(afterMilliseconds: delay) { [weak self] in
            self?.stateTimer = nil
            self?.showState()
        }
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
        for timer in [silenceTimer, credentialTimer, stateTimer].compactMap({ $0 }) {
            stream.loop.timers.cancel(timer)
        }
        (silenceTimer, credentialTimer, stateTimer) = (nil, nil, nil)
        room.meters.closed(code, wasConnected: wasConnected != nil)
        wasConnected?.handle.closed(cause)
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
