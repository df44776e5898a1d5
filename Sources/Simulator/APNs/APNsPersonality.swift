import EventLoop
import Wire

/// One connection to simulated APNs: what Apple would answer to
/// each request, and what it remembers between them.
struct APNsPersonality {
    private static let idName: HTTP2FieldName = "apns-id"
    private let state: SimulatorState
    private var gate: ProviderTokenGate

    init(_ state: SimulatorState) {
        self.state = state
        gate = ProviderTokenGate(state)
    }

    mutating func reply(to headers: HTTP2Headers, _ fields: RequestFields, body: [UInt8]) -> SimulatedReply {
        let now = WallClock.now()
        let token = fields.path.dropFirst(APNsRules.pathPrefix.count).text
        let scripted = state.answer(for: token)
        let fault = state.settings.validation == .strict ? fault(fields, token, body, at: now) : nil
        var (status, reason) = (200, "")
        if let fault {
            (status, reason) = (APNsReason.status[fault] ?? 400, fault)
        } else if case .respond(let scriptedStatus, let word) = scripted?.act {
            (status, reason) = (scriptedStatus, word ?? APNsReason.usual(scriptedStatus))
        }
        let form = fault == nil ? scripted.flatMap { self.form($0.act) } : nil
        if form != nil { status = 0 }
        state.record(
            SimulatedPush(
                provider: .apns, token: token, headers: headers, body: body, receivedAt: now, status: status,
                reason: reason))
        var reply = SimulatedReply(form: form ?? response(status, reason, fields, scripted))
        reply.delayMilliseconds = scripted?.delayMilliseconds ?? 0
        reply.showsValidToken = status != 403 && status != 429
        return reply
    }

    private mutating func fault(
        _ fields: RequestFields, _ token: String, _ body: [UInt8], at now: Int64
    ) -> String? {
        if let fault = APNsRules.fault(fields) { return fault }
        if let fault = gate.fault(fields.authorization, at: now) { return fault }
        return APNsRules.fault(body, fields)
    }

    private func form(_ act: ScriptedAnswer.Act) -> SimulatedReply.Form? {
        switch act {
        case .accept, .respond: nil
        case .silent: .silent
        case .refuse: .refuse
        case .goAway: .goAway
        case .close: .close
        }
    }

    private func response(
        _ status: Int, _ reason: String, _ fields: RequestFields, _ scripted: ScriptedAnswer?
    ) -> SimulatedReply.Form {
        var headers = HTTP2Headers()
        headers.reserveCapacity(bytes: 64, fields: 4)
        headers.append(.status, status == 200 ? "200" : String(status))
        if let id = fields.apnsID { headers.append(Self.idName, id, indexing: .neverIndexed) }
        guard status != 200 else { return .respond(headers, body: []) }
        if let seconds = scripted?.retryAfterSeconds { headers.append(.retryAfter, integer: seconds) }
        headers.append(.contentType, "application/json")
        var body = JSONWriter()
        body.beginObject()
        body.member("reason", reason)
        if status == 410 { body.member("timestamp", scripted?.timestamp ?? WallClock.now()) }
        body.endObject()
        return .respond(headers, body: body.bytes)
    }
}
