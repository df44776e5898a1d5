import Wire

/// What goes back on a stream.
struct SimulatedReply {
    enum Form {
        case respond(HTTP2Headers, body: [UInt8])
        case silent
        case refuse
        case goAway
        case close
    }

    var form: Form
    var delayMilliseconds = 0
    /// Whether the request showed a valid token: the connection may now use all its streams.
    var showsValidToken = false

    static func json(_ status: Int, _ body: [UInt8], _ fields: [(HTTP2FieldName, String)] = [])
        -> SimulatedReply
    {
        var headers = HTTP2Headers()
        headers.append(.status, String(status))
        headers.append(.contentType, "application/json")
        for (name, value) in fields { headers.append(name, value) }
        return SimulatedReply(form: .respond(headers, body: body))
    }
}
