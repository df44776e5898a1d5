import CNGHTTP2

// The only file that imports nghttp2: every `unsafe` of HTTP/2 is here.

/// One nghttp2 session of either role. Its callbacks only note what happened; nghttp2 keeps a pointer to the
/// notes.
///
/// One thread at a time; nghttp2 calls back only while the session makes a call.
@safe final class NGHTTP2Session {
    typealias Role = HTTP2SessionNotes.Role

    struct Options {
        var initialPeerMaximumConcurrentStreams: UInt32 = 100
        var maximumBodyByteCount: Int
        var initialWindowByteCount: Int
        /// A server's SETTINGS say this, while nghttp2 itself allows `serverStreamLimit`.
        var advertisedMaximumConcurrentStreams: UInt32?
    }

    /// nghttp2 answers a stream above its limit by ending the connection, so its limit is out of reach.
    private static let serverStreamLimit: UInt32 = 1 << 20
    /// Received bytes are handed on at once, so this window bounds nothing here but the peer's stalls.
    private static let connectionWindowByteCount: Int32 = 1 << 24

    private let options: Options
    private let notes = UnsafeMutablePointer<HTTP2SessionNotes>.allocate(capacity: 1)
    private var session: OpaquePointer?
    private var fieldList = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: 32)
    private var advertised: [UInt32] = []

    init(_ role: Role, _ options: Options) throws(HTTP2Error) {
        self.options = options
        unsafe notes.initialize(
            to: HTTP2SessionNotes(role, maximumBodyByteCount: options.maximumBodyByteCount))
        try check(open()) { .cannotStart(reason: $0) }
        try check(submitSettings()) { .cannotStart(reason: $0) }
    }

    deinit {
        unsafe nghttp2_session_del(session)
        unsafe notes.deinitialize(count: 1)
        unsafe notes.deallocate()
        unsafe fieldList.deallocate()
    }

    // MARK: Setting up

    private func open() -> Int32 {
        var callbacks: OpaquePointer?
        var option: OpaquePointer?
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, unsafe nghttp2_option_new(&option) == 0
        else {
            unsafe nghttp2_session_callbacks_del(callbacks)
            return NGHTTP2_ERR_NOMEM.rawValue
        }
        defer {
            unsafe nghttp2_session_callbacks_del(callbacks)
            unsafe nghttp2_option_del(option)
        }
        unsafe register(callbacks)
        unsafe nghttp2_option_set_no_closed_streams(option, 1)
        unsafe nghttp2_option_set_peer_max_concurrent_streams(
            option, options.initialPeerMaximumConcurrentStreams)
        return switch unsafe notes.pointee.role {
        case .client: unsafe nghttp2_session_client_new2(&session, callbacks, notes, option)
        case .server: unsafe nghttp2_session_server_new2(&session, callbacks, notes, option)
        }
    }

    private func register(_ callbacks: OpaquePointer?) {
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { session, frame, me in
            unsafe headersBegin(session, frame, sessionNotes(me))
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameCount, value, count, _, me in
            unsafe sessionNotes(me).pointee.field(
                UnsafeBufferPointer(start: name, count: nameCount).span,
                UnsafeBufferPointer(start: value, count: count).span)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, me in
            unsafe received(session, frame, sessionNotes(me))
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            session, _, id, bytes, count, me in
            guard let slot = unsafe slot(of: id, in: session) else { return 0 }
            let bytes = unsafe UnsafeBufferPointer(start: bytes, count: count).span
            guard let code = unsafe sessionNotes(me).pointee.received(bytes, stream: id, slot: slot) else {
                return 0
            }
            _ = unsafe nghttp2_submit_rst_stream(session, noFlags, id, code.rawValue)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { session, id, code, me in
            guard let slot = unsafe slot(of: id, in: session) else { return 0 }
            unsafe sessionNotes(me).pointee.closed(stream: id, slot: slot, HTTP2ErrorCode(rawValue: code))
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, me in
            if let frame = unsafe frame, unsafe UInt32(frame.pointee.hd.type) == NGHTTP2_GOAWAY.rawValue {
                unsafe sessionNotes(me).pointee.goAwaySent()
            }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, text, count, me in
            guard let text = unsafe text else { return 0 }
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
            unsafe sessionNotes(me).pointee.complaint = unsafe String(decoding: bytes, as: UTF8.self)
            return 0
        }
    }

    private func submitSettings() -> Int32 {
        var entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                value: UInt32(options.initialWindowByteCount))
        ]
        if unsafe notes.pointee.role == .client {
            entries.append(
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0))
        }
        if let limit = options.advertisedMaximumConcurrentStreams {
            advertised.append(limit)
            entries.append(Self.streamLimitEntry)
        }
        let result = unsafe nghttp2_submit_settings(session, noFlags, entries, entries.count)
        guard result == 0 else { return result }
        return unsafe nghttp2_session_set_local_window_size(
            session, noFlags, 0, Self.connectionWindowByteCount)
    }

    private static var streamLimitEntry: nghttp2_settings_entry {
        nghttp2_settings_entry(
            settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: serverStreamLimit)
    }

    // MARK: What the owner asks for

    func submitRequest(_ headers: HTTP2Headers, body: [UInt8], tag: Int) throws(HTTP2Error) -> Int32 {
        let slot = unsafe notes.pointee.slots.take(HTTP2StreamState(tag: tag, outgoing: body))
        let id = unsafe withFields(headers) { fields, count in
            guard !body.isEmpty else {
                return unsafe nghttp2_submit_request(session, nil, fields, count, nil, userData(slot))
            }
            var provider = unsafe bodyProvider(slot)
            return unsafe nghttp2_submit_request(session, nil, fields, count, &provider, userData(slot))
        }
        if id < 0 { unsafe notes.pointee.slots.release(slot) }
        try check(id) { .notSubmitted(reason: $0) }
        return id
    }

    func submitResponse(_ headers: HTTP2Headers, body: [UInt8], stream id: Int32) throws(HTTP2Error) {
        guard let slot = unsafe slot(of: id, in: session) else {
            throw .notSubmitted(reason: "stream \(id) is not open")
        }
        unsafe notes.pointee.slots.states[slot].send(body)
        let result = unsafe withFields(headers) { fields, count in
            guard !body.isEmpty else {
                return unsafe nghttp2_submit_response(session, id, fields, count, nil)
            }
            var provider = unsafe bodyProvider(slot)
            return unsafe nghttp2_submit_response(session, id, fields, count, &provider)
        }
        try check(result) { .notSubmitted(reason: $0) }
    }

    func reset(_ id: Int32, _ code: HTTP2ErrorCode) {
        _ = unsafe nghttp2_submit_rst_stream(session, noFlags, id, code.rawValue)
    }

    func ping(_ opaque: UInt64) {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: opaque >> (56 - 8 * $0)) }
        _ = unsafe nghttp2_submit_ping(session, noFlags, bytes)
    }

    func advertise(_ limit: UInt32) {
        advertised.append(limit)
        _ = unsafe nghttp2_submit_settings(session, noFlags, [Self.streamLimitEntry], 1)
    }

    func goAway(last id: Int32?, _ code: HTTP2ErrorCode, _ debugData: [UInt8]) {
        unsafe notes.pointee.ownGoAwayCount += 1
        let last = unsafe id ?? nghttp2_session_get_last_proc_stream_id(session)
        _ = unsafe nghttp2_submit_goaway(session, noFlags, last, code.rawValue, debugData, debugData.count)
    }

    var peerMaximumConcurrentStreams: UInt32 {
        unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    }

    var openStreamCount: Int { unsafe notes.pointee.slots.count }

    var clientEvents: [HTTP2ClientEvent] {
        get { unsafe notes.pointee.clientEvents }
        set { unsafe notes.pointee.clientEvents = newValue }
    }

    var serverEvents: [HTTP2ServerEvent] {
        get { unsafe notes.pointee.serverEvents }
        set { unsafe notes.pointee.serverEvents = newValue }
    }

    var isFinished: Bool {
        unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    // MARK: Bytes in and out

    func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) {
        if let failure = unsafe notes.pointee.failure { throw failure }
        let count = unsafe bytes.withUnsafeBufferPointer {
            unsafe nghttp2_session_mem_recv(session, $0.baseAddress, $0.count)
        }
        if count < 0 { throw unsafe fail(notes.pointee.complaint ?? reason(Int32(count))) }
        // nghttp2 does not tell that it has given up: it queues a GOAWAY and ignores what follows.
        guard unsafe notes.pointee.role == .client, unsafe !notes.pointee.hasReceivedGoAway else { return }
        if unsafe nghttp2_session_check_request_allowed(session) == 0,
            unsafe nghttp2_session_get_next_stream_id(session) <= UInt32(Int32.max)
        {
            throw unsafe fail(notes.pointee.complaint ?? "the peer broke the protocol")
        }
    }

    func writePending(into output: inout [UInt8], limit: Int) -> Bool {
        while output.count < limit {
            var frame: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(session, &frame)
            guard count > 0, let start = unsafe frame else {
                if count < 0 { _ = fail(reason(Int32(count))) }
                return false
            }
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
            if !advertised.isEmpty { advertiseInFrame(at: output.count - count, of: &output) }
        }
        return unsafe nghttp2_session_want_write(session) != 0
    }

    /// Puts the advertised stream limit into a SETTINGS frame, where nghttp2 has written its own.
    private func advertiseInFrame(at start: Int, of output: inout [UInt8]) {
        let payload = start + 9
        guard payload <= output.count, output[start + 3] == UInt8(NGHTTP2_SETTINGS.rawValue),
            output[start + 4] & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0
        else { return }
        for entry in stride(from: payload, to: output.count - 5, by: 6)
        where output[entry] == 0
            && output[entry + 1] == UInt8(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
        {
            let limit = advertised.removeFirst()
            for byte in 0..<4 {
                output[entry + 2 + byte] = UInt8(truncatingIfNeeded: limit >> (24 - 8 * byte))
            }
            return
        }
    }

    // MARK: Streams

    private func userData(_ slot: Int) -> UnsafeMutableRawPointer? {
        unsafe UnsafeMutableRawPointer(bitPattern: slot + 1)
    }

    private func bodyProvider(_ slot: Int) -> nghttp2_data_provider {
        var provider = unsafe nghttp2_data_provider()
        unsafe provider.source.ptr = userData(slot)
        unsafe provider.read_callback = { _, _, target, limit, flags, source, me in
            guard let slot = unsafe source?.pointee.ptr, let target = unsafe target else { return 0 }
            var output = unsafe OutputSpan<UInt8>(
                buffer: UnsafeMutableBufferPointer(start: target, count: limit), initializedCount: 0)
            let slotNumber = Int(bitPattern: slot) - 1
            if unsafe sessionNotes(me).pointee.slots.states[slotNumber].takeOutgoing(into: &output) {
                unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            }
            return output.count
        }
        return unsafe provider
    }

    /// Lends the fields as nghttp2 wants them; it copies them before `body` returns.
    private func withFields(
        _ headers: HTTP2Headers, _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Int32
    ) -> Int32 {
        if unsafe headers.count > fieldList.count {
            unsafe fieldList.deallocate()
            unsafe fieldList = .allocate(capacity: headers.count)
        }
        return unsafe headers.bytes.withUnsafeBufferPointer { bytes in
            var cursor = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
            for (index, shape) in headers.shapes.enumerated() {
                let value = unsafe cursor.map { unsafe $0 + shape.nameCount }
                unsafe fieldList[index] = unsafe nghttp2_nv(
                    name: cursor, value: value, namelen: shape.nameCount, valuelen: shape.valueCount,
                    flags: shape.indexing.flags)
                unsafe cursor = unsafe value.map { unsafe $0 + shape.valueCount }
            }
            return unsafe body(UnsafePointer(fieldList.baseAddress), headers.count)
        }
    }

    // MARK: Errors

    private func fail(_ reason: String) -> HTTP2Error { unsafe notes.pointee.fail(reason) }

    private func reason(_ code: Int32) -> String { unsafe String(cString: nghttp2_strerror(code)) }

    private func check(_ result: Int32, _ error: (String) -> HTTP2Error) throws(HTTP2Error) {
        if result < 0 { throw error(reason(result)) }
    }
}

private let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

/// Each session keeps its notes until it has freed nghttp2's, so the pointer is alive.
private func sessionNotes(_ me: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<HTTP2SessionNotes> {
    guard let me = unsafe me else { preconditionFailure("a callback without its session") }
    return unsafe me.assumingMemoryBound(to: HTTP2SessionNotes.self)
}

/// The slot of a stream that is known to nghttp2 and to us.
private func slot(of id: Int32, in session: OpaquePointer?) -> Int? {
    guard let data = unsafe nghttp2_session_get_stream_user_data(session, id) else { return nil }
    return Int(bitPattern: data) - 1
}

private func headersBegin(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?,
    _ notes: UnsafeMutablePointer<HTTP2SessionNotes>
) -> Int32 {
    guard let frame = unsafe frame else { return 0 }
    unsafe notes.pointee.blockBegins()
    guard unsafe notes.pointee.role == .server, unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
    else { return 0 }
    let slot = unsafe notes.pointee.slots.take(HTTP2StreamState())
    return unsafe nghttp2_session_set_stream_user_data(
        session, frame.pointee.hd.stream_id, UnsafeMutableRawPointer(bitPattern: slot + 1))
}

private func received(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?,
    _ notes: UnsafeMutablePointer<HTTP2SessionNotes>
) -> Int32 {
    guard let frame = unsafe frame else { return 0 }
    let header = unsafe frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        let (id, slot) = (header.stream_id, unsafe slot(of: header.stream_id, in: session))
        if UInt32(header.type) == NGHTTP2_HEADERS.rawValue {
            let isRequest = unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
            unsafe notes.pointee.blockEnds(stream: id, slot: slot, beginsRequest: isRequest)
        }
        if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
            unsafe notes.pointee.streamEnds(stream: id, slot: slot)
        }
    case NGHTTP2_SETTINGS.rawValue:
        let limit = unsafe nghttp2_session_get_remote_settings(
            session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        unsafe notes.pointee.settingsReceived(
            isAcknowledgement: header.flags & 1 != 0, maximumConcurrentStreams: Int(limit))
    case NGHTTP2_PING.rawValue where header.flags & 1 != 0:
        let data = unsafe frame.pointee.ping.opaque_data
        unsafe notes.pointee.pingAcknowledged(
            UInt64(bigEndian: unsafe unsafeBitCast(data, to: UInt64.self)))
    case NGHTTP2_GOAWAY.rawValue:
        let frame = unsafe frame.pointee.goaway
        let debugData = unsafe UnsafeBufferPointer(start: frame.opaque_data, count: frame.opaque_data_len)
        unsafe notes.pointee.goAwayReceived(
            last: frame.last_stream_id, HTTP2ErrorCode(rawValue: frame.error_code), Array(debugData))
    default: break
    }
    return 0
}

extension HTTP2Indexing {
    fileprivate var flags: UInt8 {
        self == .automatic ? UInt8(NGHTTP2_NV_FLAG_NONE.rawValue) : UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
    }
}
