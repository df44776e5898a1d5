import CNGHTTP2

// The only file that imports nghttp2: every `unsafe` of HTTP/2 is here.

/// One nghttp2 session of either role. Its callbacks only note what happened: in
/// `clientEvents` or `serverEvents`, in the order of the frames.
///
/// A class because nghttp2 keeps a pointer to it; one thread at a time.
@safe final class NGHTTP2Session {
    enum Role { case client, server }

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

    private let role: Role
    private let options: Options
    private var session: OpaquePointer?
    private var slots = HTTP2StreamSlots()
    private var fieldList = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: 32)
    private var advertised: [UInt32] = []
    private var complaint: String?
    private var hasReceivedGoAway = false
    private var ownGoAwayCount = 0

    // The header block being received: blocks of several streams never mix (RFC 9113 §4.3).
    private var incomingHeaders = HTTP2Headers()
    private var incomingStatus = 0
    /// The size of the block before: what the next one is likely to need.
    private var usualHeaders = (bytes: 64, fields: 4)

    var clientEvents: [HTTP2ClientEvent] = []
    var serverEvents: [HTTP2ServerEvent] = []
    private(set) var failure: HTTP2Error?

    init(_ role: Role, _ options: Options) throws(HTTP2Error) {
        self.role = role
        self.options = options
        try check(open()) { .cannotStart(reason: $0) }
        try check(submitSettings()) { .cannotStart(reason: $0) }
    }

    deinit {
        unsafe nghttp2_session_del(session)
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
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        return switch role {
        case .client: unsafe nghttp2_session_client_new2(&session, callbacks, me, option)
        case .server: unsafe nghttp2_session_server_new2(&session, callbacks, me, option)
        }
    }

    private func register(_ callbacks: OpaquePointer?) {
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, me in
            unsafe owner(me).headersBegin(frame)
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameCount, value, count, _, me in
            unsafe owner(me).field(
                UnsafeBufferPointer(start: name, count: nameCount),
                UnsafeBufferPointer(start: value, count: count))
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, me in
            unsafe owner(me).received(frame)
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, id, bytes, count, me in
            unsafe owner(me).received(UnsafeBufferPointer(start: bytes, count: count), on: id)
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, me in
            unsafe owner(me).closed(id, HTTP2ErrorCode(rawValue: code))
        }
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, me in
            unsafe owner(me).sent(frame)
        }
        unsafe nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, text, count, me in
            guard let text = unsafe text else { return 0 }
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
            unsafe owner(me).complaint = unsafe String(decoding: bytes, as: UTF8.self)
            return 0
        }
    }

    private func submitSettings() -> Int32 {
        var entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                value: UInt32(options.initialWindowByteCount))
        ]
        if role == .client {
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
        let slot = slots.take(HTTP2StreamState(tag: tag, outgoing: body))
        let id = unsafe withFields(headers) { fields, count in
            guard !body.isEmpty else {
                return unsafe nghttp2_submit_request(session, nil, fields, count, nil, userData(slot))
            }
            var provider = unsafe bodyProvider(slot)
            return unsafe nghttp2_submit_request(session, nil, fields, count, &provider, userData(slot))
        }
        if id < 0 { slots.release(slot) }
        try check(id) { .notSubmitted(reason: $0) }
        return id
    }

    func submitResponse(_ headers: HTTP2Headers, body: [UInt8], stream id: Int32) throws(HTTP2Error) {
        guard let slot = slot(of: id) else { throw .notSubmitted(reason: "stream \(id) is not open") }
        slots.states[slot].send(body)
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
        ownGoAwayCount += 1
        let last = unsafe id ?? nghttp2_session_get_last_proc_stream_id(session)
        _ = unsafe nghttp2_submit_goaway(session, noFlags, last, code.rawValue, debugData, debugData.count)
    }

    var peerMaximumConcurrentStreams: UInt32 {
        unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    }

    var openStreamCount: Int { slots.count }

    var isFinished: Bool {
        unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    // MARK: Bytes in and out

    func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) {
        if let failure { throw failure }
        let count = unsafe bytes.withUnsafeBufferPointer {
            unsafe nghttp2_session_mem_recv(session, $0.baseAddress, $0.count)
        }
        if count < 0 { throw fail(complaint ?? reason(Int32(count))) }
        // nghttp2 does not tell that it has given up: it queues a GOAWAY and ignores what follows.
        guard role == .client, !hasReceivedGoAway else { return }
        if unsafe nghttp2_session_check_request_allowed(session) == 0,
            unsafe nghttp2_session_get_next_stream_id(session) <= UInt32(Int32.max)
        {
            throw fail(complaint ?? "the peer broke the protocol")
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

    // MARK: What nghttp2 reports

    private func headersBegin(_ frame: UnsafePointer<nghttp2_frame>?) -> Int32 {
        guard let frame = unsafe frame else { return 0 }
        incomingHeaders.reserveCapacity(bytes: usualHeaders.bytes, fields: usualHeaders.fields)
        incomingStatus = 0
        guard role == .server, unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
        let data = unsafe userData(slots.take(HTTP2StreamState()))
        return unsafe nghttp2_session_set_stream_user_data(session, frame.pointee.hd.stream_id, data)
    }

    private func field(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Int32 {
        if role == .client, unsafe name.first == UInt8(ascii: ":") {
            // A response has no other pseudo-header field, and nghttp2 has checked that it has three digits.
            incomingStatus = unsafe value.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        } else {
            unsafe incomingHeaders.append(name: name.span, value: value.span)
        }
        return 0
    }

    private func received(_ frame: UnsafePointer<nghttp2_frame>?) -> Int32 {
        guard let frame = unsafe frame else { return 0 }
        let header = unsafe frame.pointee.hd
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue: headersReceived(header, category: unsafe frame.pointee.headers.cat)
        case NGHTTP2_DATA.rawValue: endReached(header)
        case NGHTTP2_SETTINGS.rawValue: settingsReceived(isAcknowledgement: header.flags & 1 != 0)
        case NGHTTP2_PING.rawValue where header.flags & 1 != 0:
            let data = unsafe frame.pointee.ping.opaque_data
            pingAcknowledged(UInt64(bigEndian: unsafe unsafeBitCast(data, to: UInt64.self)))
        case NGHTTP2_GOAWAY.rawValue: unsafe goAwayReceived(unsafe frame.pointee.goaway)
        default: break
        }
        return 0
    }

    private func headersReceived(_ header: nghttp2_frame_hd, category: nghttp2_headers_category) {
        usualHeaders = (incomingHeaders.byteCount, incomingHeaders.count)
        guard let slot = slot(of: header.stream_id) else { return }
        switch role {
        case .server where category == NGHTTP2_HCAT_REQUEST:
            slots.states[slot].headers = incomingHeaders
            serverEvents.append(.streamOpened(stream: header.stream_id))
        case .client where incomingStatus >= 200 && slots.states[slot].beginResponse():
            clientEvents.append(
                .responseHeaders(
                    stream: header.stream_id, tag: slots.states[slot].tag, status: incomingStatus,
                    headers: incomingHeaders))
        default: break
        }
        incomingHeaders = HTTP2Headers()
        endReached(header)
    }

    private func endReached(_ header: nghttp2_frame_hd) {
        guard role == .server, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
            let slot = slot(of: header.stream_id)
        else { return }
        let (headers, body) = slots.states[slot].takeRequest()
        serverEvents.append(.request(stream: header.stream_id, headers: headers, body: body))
    }

    private func received(_ bytes: UnsafeBufferPointer<UInt8>, on id: Int32) -> Int32 {
        guard let slot = slot(of: id) else { return 0 }
        guard slots.states[slot].counts(bytes.count, limit: options.maximumBodyByteCount) else {
            reset(id, role == .client ? .cancel : .enhanceYourCalm)
            return 0
        }
        switch role {
        case .client:
            clientEvents.append(
                .bodyData(stream: id, tag: slots.states[slot].tag, bytes: unsafe Array(bytes)))
        case .server: unsafe slots.states[slot].receive(bytes.span)
        }
        return 0
    }

    private func closed(_ id: Int32, _ code: HTTP2ErrorCode) -> Int32 {
        guard let slot = slot(of: id) else { return 0 }
        let tag = slots.release(slot)
        switch role {
        case .client: clientEvents.append(.streamClosed(stream: id, tag: tag, errorCode: code))
        case .server: serverEvents.append(.streamClosed(stream: id, errorCode: code))
        }
        return 0
    }

    private func settingsReceived(isAcknowledgement: Bool) {
        switch role {
        case .client where !isAcknowledgement:
            clientEvents.append(
                .settingsReceived(maximumConcurrentStreams: Int(peerMaximumConcurrentStreams)))
        case .server where isAcknowledgement: serverEvents.append(.settingsAcknowledged)
        default: break
        }
    }

    private func pingAcknowledged(_ opaque: UInt64) {
        switch role {
        case .client: clientEvents.append(.pingAcknowledged(opaque: opaque))
        case .server: serverEvents.append(.pingAcknowledged(opaque: opaque))
        }
    }

    private func goAwayReceived(_ frame: nghttp2_goaway) {
        hasReceivedGoAway = true
        let code = unsafe HTTP2ErrorCode(rawValue: frame.error_code)
        let debugData = unsafe Array(
            UnsafeBufferPointer(start: frame.opaque_data, count: frame.opaque_data_len))
        switch role {
        case .client:
            unsafe clientEvents.append(
                .goAway(lastStreamID: frame.last_stream_id, errorCode: code, debugData: debugData))
        case .server:
            unsafe serverEvents.append(
                .goAway(lastStreamID: frame.last_stream_id, errorCode: code, debugData: debugData))
        }
    }

    /// Notices the GOAWAY that nghttp2 itself sends when the peer broke the protocol: one we did not ask for.
    private func sent(_ frame: UnsafePointer<nghttp2_frame>?) -> Int32 {
        guard let frame = unsafe frame, UInt32(unsafe frame.pointee.hd.type) == NGHTTP2_GOAWAY.rawValue else {
            return 0
        }
        if ownGoAwayCount > 0 {
            ownGoAwayCount -= 1
        } else if failure == nil {
            _ = fail(complaint ?? "the peer broke the protocol")
        }
        return 0
    }

    // MARK: Streams

    private func slot(of id: Int32) -> Int? {
        guard let data = unsafe nghttp2_session_get_stream_user_data(session, id) else { return nil }
        return Int(bitPattern: data) - 1
    }

    private func userData(_ slot: Int) -> UnsafeMutableRawPointer? {
        unsafe UnsafeMutableRawPointer(bitPattern: slot + 1)
    }

    private func bodyProvider(_ slot: Int) -> nghttp2_data_provider {
        var provider = unsafe nghttp2_data_provider()
        unsafe provider.source.ptr = userData(slot)
        unsafe provider.read_callback = { _, _, target, limit, flags, source, me in
            guard let slot = unsafe source?.pointee.ptr, let target = unsafe target else { return 0 }
            return unsafe owner(me).copyBody(of: Int(bitPattern: slot) - 1, to: target, limit: limit, flags)
        }
        return unsafe provider
    }

    private func copyBody(
        of slot: Int, to target: UnsafeMutablePointer<UInt8>, limit: Int,
        _ flags: UnsafeMutablePointer<UInt32>?
    ) -> Int {
        var output = unsafe OutputSpan<UInt8>(
            buffer: UnsafeMutableBufferPointer(start: target, count: limit), initializedCount: 0)
        if slots.states[slot].takeOutgoing(into: &output) {
            unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        }
        return output.count
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

    private func fail(_ reason: String) -> HTTP2Error {
        let error = HTTP2Error.broken(reason: reason)
        failure = error
        return error
    }

    private func reason(_ code: Int32) -> String { unsafe String(cString: nghttp2_strerror(code)) }

    private func check(_ result: Int32, _ error: (String) -> HTTP2Error) throws(HTTP2Error) {
        if result < 0 { throw error(reason(result)) }
    }
}

private let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

/// nghttp2 calls back only while the session that owns it makes a call, so the pointer is alive.
private func owner(_ me: UnsafeMutableRawPointer?) -> NGHTTP2Session {
    guard let me = unsafe me else { preconditionFailure("a callback without its session") }
    return unsafe Unmanaged<NGHTTP2Session>.fromOpaque(me).takeUnretainedValue()
}

extension HTTP2Indexing {
    fileprivate var flags: UInt8 {
        self == .automatic ? UInt8(NGHTTP2_NV_FLAG_NONE.rawValue) : UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
    }
}
