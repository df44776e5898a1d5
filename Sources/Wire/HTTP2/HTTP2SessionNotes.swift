/// What a session heard from its peer, in the order of the frames, and what it keeps of its streams. Pure.
///
/// A value, so that a callback reaches it by its address alone: each frame takes a dozen of them.
struct HTTP2SessionNotes {
    enum Role { case client, server }

    let role: Role
    /// Of one stream's body; beyond it the stream is to be reset.
    let maximumBodyByteCount: Int
    var slots = HTTP2StreamSlots()
    var clientEvents: [HTTP2ClientEvent] = []
    var serverEvents: [HTTP2ServerEvent] = []
    /// What nghttp2 found wrong.
    var complaint: String?
    /// GOAWAYs of ours that are not written yet.
    var ownGoAwayCount = 0
    private(set) var hasReceivedGoAway = false
    private(set) var failure: HTTP2Error?

    // The header block being received: blocks of several streams never mix (RFC 9113 §4.3).
    private var incomingHeaders = HTTP2Headers()
    private var incomingStatus = 0
    /// The size of the block before: what the next one is likely to need.
    private var usualHeaders = (bytes: 64, fields: 4)

    init(_ role: Role, maximumBodyByteCount: Int) {
        self.role = role
        self.maximumBodyByteCount = maximumBodyByteCount
    }

    mutating func fail(_ reason: String) -> HTTP2Error {
        let error = HTTP2Error.broken(reason: reason)
        failure = error
        return error
    }
}

extension HTTP2SessionNotes {
    // MARK: Header blocks

    mutating func blockBegins() {
        incomingHeaders.reserveCapacity(bytes: usualHeaders.bytes, fields: usualHeaders.fields)
        incomingStatus = 0
    }

    mutating func field(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        guard role == .client, name[0] == UInt8(ascii: ":") else {
            return incomingHeaders.append(name: name, value: value)
        }
        // A response has no other pseudo-header field, and nghttp2 has checked that it has three digits.
        for index in value.indices { incomingStatus = incomingStatus * 10 + Int(value[index]) - 0x30 }
    }

    /// `beginsRequest`: it is not the trailer of one.
    mutating func blockEnds(stream id: Int32, slot: Int?, beginsRequest: Bool) {
        let headers = incomingHeaders
        incomingHeaders = HTTP2Headers()
        usualHeaders = (headers.byteCount, headers.count)
        guard let slot else { return }
        switch role {
        case .server where beginsRequest:
            slots.states[slot].headers = headers
            serverEvents.append(.streamOpened(stream: id))
        case .client where incomingStatus >= 200 && slots.states[slot].beginResponse():
            clientEvents.append(
                .responseHeaders(
                    stream: id, tag: slots.states[slot].tag, status: incomingStatus, headers: headers))
        default: break
        }
    }

    // MARK: Streams

    /// The peer sends no more on the stream: a request is whole.
    mutating func streamEnds(stream id: Int32, slot: Int?) {
        guard role == .server, let slot else { return }
        let (headers, body) = slots.states[slot].takeRequest()
        serverEvents.append(.request(stream: id, headers: headers, body: body))
    }

    /// Gives the code to reset the stream with, if that was too much.
    mutating func received(_ bytes: Span<UInt8>, stream id: Int32, slot: Int) -> HTTP2ErrorCode? {
        guard slots.states[slot].counts(bytes.count, limit: maximumBodyByteCount) else {
            return role == .client ? .cancel : .enhanceYourCalm
        }
        switch role {
        case .client:
            clientEvents.append(
                .bodyData(stream: id, tag: slots.states[slot].tag, bytes: [UInt8](copying: bytes)))
        case .server: slots.states[slot].receive(bytes)
        }
        return nil
    }

    mutating func closed(stream id: Int32, slot: Int, _ code: HTTP2ErrorCode) {
        let tag = slots.release(slot)
        switch role {
        case .client: clientEvents.append(.streamClosed(stream: id, tag: tag, errorCode: code))
        case .server: serverEvents.append(.streamClosed(stream: id, errorCode: code))
        }
    }

    // MARK: The connection

    mutating func settingsReceived(isAcknowledgement: Bool, maximumConcurrentStreams limit: Int) {
        switch role {
        case .client where !isAcknowledgement:
            clientEvents.append(.settingsReceived(maximumConcurrentStreams: limit))
        case .server where isAcknowledgement: serverEvents.append(.settingsAcknowledged)
        default: break
        }
    }

    mutating func pingAcknowledged(_ opaque: UInt64) {
        switch role {
        case .client: clientEvents.append(.pingAcknowledged(opaque: opaque))
        case .server: serverEvents.append(.pingAcknowledged(opaque: opaque))
        }
    }

    mutating func goAwayReceived(last id: Int32, _ code: HTTP2ErrorCode, _ debugData: [UInt8]) {
        hasReceivedGoAway = true
        switch role {
        case .client:
            clientEvents.append(.goAway(lastStreamID: id, errorCode: code, debugData: debugData))
        case .server:
            serverEvents.append(.goAway(lastStreamID: id, errorCode: code, debugData: debugData))
        }
    }

    /// nghttp2 sends one of its own when the peer broke the protocol: one we did not ask for.
    mutating func goAwaySent() {
        if ownGoAwayCount > 0 {
            ownGoAwayCount -= 1
        } else if failure == nil {
            _ = fail(complaint ?? "the peer broke the protocol")
        }
    }
}
