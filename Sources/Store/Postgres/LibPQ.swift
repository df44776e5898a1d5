import CPostgres
import Glibc

/// libpq's handle of one connection: the only file that calls libpq, one function per call.
///
/// `@unchecked Sendable`: it is made by the connector's queue, handed over once, and from
/// then on touched by one loop only; libpq itself keeps no state outside the handle.
@safe final class LibPQConnection: @unchecked Sendable {
    enum ConnectProgress { case needsRead, needsWrite, connected, failed }
    enum FlushProgress { case done, blocked, failed }

    private var raw: OpaquePointer?
    private var values: [UnsafePointer<CChar>?] = unsafe []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// Starts to connect without waiting; nil if memory ran out. Keys and values as in a connection string.
    init?(keywords: [String: String]) {
        let names = keywords.keys.sorted()
        var keys = unsafe names.map { unsafe UnsafePointer(strdup($0)) } + [nil]
        var texts = unsafe names.map { unsafe UnsafePointer(strdup(keywords[$0] ?? "")) } + [nil]
        defer {
            while let copy = unsafe keys.popLast() { unsafe free(UnsafeMutablePointer(mutating: copy)) }
            while let copy = unsafe texts.popLast() { unsafe free(UnsafeMutablePointer(mutating: copy)) }
        }
        unsafe raw = unsafe PQconnectStartParams(keys, texts, 1)
        guard unsafe raw != nil else { return nil }
        unsafe PQsetNoticeProcessor(raw, { _, _ in }, nil)
    }

    deinit { finish() }

    /// Closes the socket and frees the handle; later calls find a connection that is down.
    func finish() {
        guard unsafe raw != nil else { return }
        unsafe PQfinish(raw)
        unsafe raw = nil
    }

    var socket: Int32 { unsafe PQsocket(raw) }
    var isDown: Bool { unsafe PQstatus(raw) == CONNECTION_BAD }
    var isBusy: Bool { unsafe PQisBusy(raw) == 1 }
    var isInFailedTransaction: Bool { unsafe PQtransactionStatus(raw) == PQTRANS_INERROR }
    var backendPID: Int32 { unsafe PQbackendPID(raw) }

    /// libpq's last message on one line; it names hosts and roles, never parameters.
    var errorMessage: String {
        guard let message = unsafe PQerrorMessage(raw) else { return "no connection" }
        return unsafe String(cString: message).split { $0.isNewline }.joined(separator: " ")
    }

    func pollConnect() -> ConnectProgress {
        switch unsafe PQconnectPoll(raw) {
        case PGRES_POLLING_READING: .needsRead
        case PGRES_POLLING_WRITING: .needsWrite
        case PGRES_POLLING_OK: .connected
        default: .failed
        }
    }

    func enterPipelineMode() -> Bool {
        unsafe PQsetnonblocking(raw, 1) == 0 && PQenterPipelineMode(raw) == 1
    }

    func sendPrepare(_ query: Query) -> Bool {
        unsafe PQsendPrepare(raw, query.name, query.sql, 0, nil) == 1
    }

    /// Queues one prepared statement with binary parameters, answered in binary; libpq copies the bytes.
    func send(_ name: String, _ writer: borrowing ParameterWriter, _ parameters: Range<Int>) -> Bool {
        unsafe writer.bytes.withUnsafeBytes { bytes in
            unsafe values.removeAll(keepingCapacity: true)
            lengths.removeAll(keepingCapacity: true)
            formats.removeAll(keepingCapacity: true)
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            for index in parameters {
                let place = writer.places[index]
                unsafe values.append(
                    place.flatMap { place in unsafe base.map { unsafe $0 + place.lowerBound } })
                lengths.append(Int32(place?.count ?? 0))
                formats.append(1)
            }
            return unsafe PQsendQueryPrepared(
                raw, name, Int32(parameters.count), values, lengths, formats, 1) == 1
        }
    }

    /// Outside pipeline mode: any number of statements in text, answered in text.
    func send(script: String) -> Bool { unsafe PQsendQuery(raw, script) == 1 }

    /// Outside pipeline mode: one statement without parameters, answered in binary.
    func send(statement: String) -> Bool {
        unsafe PQsendQueryParams(raw, statement, 0, nil, nil, nil, nil, 1) == 1
    }

    /// Queues the sync point that ends a batch.
    func sendSync() -> Bool { unsafe PQpipelineSync(raw) == 1 }

    func flush() -> FlushProgress {
        switch unsafe PQflush(raw) {
        case 0: .done
        case 1: .blocked
        default: .failed
        }
    }

    func consumeInput() -> Bool { unsafe PQconsumeInput(raw) == 1 }

    /// The next result; nil marks the end of one command's results. Call only while not `isBusy`.
    func nextResult() -> LibPQResult? {
        guard let result = unsafe PQgetResult(raw) else { return nil }
        return unsafe LibPQResult(owning: result)
    }

    /// Waits until the socket is readable (or writable) or the
    /// time is up; the connector's queue alone may call it.
    func wait(toWrite: Bool, milliseconds: Int) -> Bool {
        Self.poll(socket, toWrite ? Int16(POLLOUT) : Int16(POLLIN), Int32(clamping: milliseconds)) != 0
    }

    /// True if the kernel holds more input, or an end of it, than libpq has taken.
    ///
    /// A source that has seen a hang-up does not fire again, so that input must be taken to its end at once.
    var hasUnreadInput: Bool {
        guard socket >= 0 else { return false }
        return Self.poll(socket, Int16(POLLIN), 0) > 0
    }

    /// Ends the conversation at once; the descriptor stays open until `finish`.
    func shutDown() {
        guard socket >= 0 else { return }
        _ = Glibc.shutdown(socket, Int32(SHUT_RDWR))
    }

    private static func poll(_ descriptor: Int32, _ events: Int16, _ milliseconds: Int32) -> Int32 {
        var waiting = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let ready = unsafe Glibc.poll(&waiting, 1, milliseconds)
            if ready >= 0 || errno != EINTR { return ready }
        }
    }
}

/// One result, in binary.
///
/// `@unchecked Sendable`: a finished PGresult is never written to again, and libpq lets any thread read it.
@safe final class LibPQResult: @unchecked Sendable {
    enum Outcome { case finished, syncPoint, skipped, refused }

    private let raw: OpaquePointer

    init(owning raw: OpaquePointer) { unsafe self.raw = unsafe raw }
    deinit { unsafe PQclear(raw) }

    var outcome: Outcome {
        switch unsafe PQresultStatus(raw) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: .finished
        case PGRES_PIPELINE_SYNC: .syncPoint
        case PGRES_PIPELINE_ABORTED: .skipped
        default: .refused
        }
    }

    var rowCount: Int { Int(unsafe PQntuples(raw)) }
    var columnCount: Int { Int(unsafe PQnfields(raw)) }

    /// Rows that a statement wrote, as its command tag says.
    var affectedRowCount: Int {
        guard let text = unsafe PQcmdTuples(raw) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    func refusal(of statement: String) -> ServerRefusal {
        ServerRefusal(
            state: SQLState(rawValue: field(Self.sqlState) ?? "XX000"),
            message: field(Self.primaryMessage) ?? "no message",
            constraint: field(Self.constraintName), statement: statement)
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe PQgetisnull(raw, Int32(row), Int32(column)) == 1
    }

    /// A two's complement integer in network order, of whatever width the column has.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        unsafe withValue(row, column) { value in
            let negative = unsafe (value.first ?? 0) & 0x80 != 0
            let number = unsafe value.reduce(negative ? UInt64.max : 0) { $0 << 8 | UInt64($1) }
            return Int64(bitPattern: number)
        }
    }

    func text(_ row: Int, _ column: Int) -> String {
        unsafe withValue(row, column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        unsafe withValue(row, column) { unsafe [UInt8]($0) }
    }

    private func withValue<Value>(
        _ row: Int, _ column: Int, _ read: (UnsafeRawBufferPointer) -> Value
    ) -> Value {
        let start = unsafe PQgetvalue(raw, Int32(row), Int32(column))
        let length = unsafe PQgetlength(raw, Int32(row), Int32(column))
        return unsafe read(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    private func field(_ code: UInt8) -> String? {
        guard let text = unsafe PQresultErrorField(raw, Int32(code)) else { return nil }
        return unsafe String(cString: text)
    }

    private static let sqlState = UInt8(ascii: "C")
    private static let primaryMessage = UInt8(ascii: "M")
    private static let constraintName = UInt8(ascii: "n")
}
