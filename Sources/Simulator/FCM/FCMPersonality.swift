import EventLoop
import Wire

/// What FCM would answer to a `messages:send`.
struct FCMPersonality {
    let state: SimulatorState

    private static let pathPrefix = Array("/v1/projects/".utf8)

    static func isSend(_ path: ArraySlice<UInt8>) -> Bool { path.starts(with: pathPrefix) }

    func reply(to headers: HTTP2Headers, _ fields: RequestFields, body: [UInt8]) -> SimulatedReply {
        let now = WallClock.now()
        let isStrict = state.settings.validation == .strict
        let token = isStrict || state.isScripted ? Self.token(body) : ""
        var error = isStrict ? FCMRules.fault(fields, body, state, at: now) : nil
        let scripted = error == nil ? state.answer(for: token) : nil
        let form = scripted.flatMap { self.form($0.act) }
        if case .respond(let status, let word) = scripted?.act { error = .scripted(status, word) }
        let status = form == nil ? error?.status ?? 200 : 0
        state.record(
            SimulatedPush(
                provider: .fcm, token: token, headers: headers, body: body, receivedAt: now, status: status,
                reason: error?.code ?? error?.canonical ?? ""))
        var reply = form.map { SimulatedReply(form: $0) } ?? response(fields, error, scripted)
        reply.delayMilliseconds = scripted?.delayMilliseconds ?? 0
        reply.showsValidToken = true
        return reply
    }

    static func token(_ body: [UInt8]) -> String {
        (try? JSONDocument(parsing: body))?.root["message"]?["token"]?.string ?? ""
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
        _ fields: RequestFields, _ error: FCMError?, _ scripted: ScriptedAnswer?
    ) -> SimulatedReply {
        var body = JSONWriter()
        body.beginObject()
        guard let error else {
            let project = fields.path.dropFirst(Self.pathPrefix.count).prefix { $0 != UInt8(ascii: "/") }.text
            body.member("name", "projects/\(project)/messages/0:\(WallClock.now())%simulated")
            body.endObject()
            return .json(200, body.bytes)
        }
        body.key("error")
        error.write(to: &body)
        body.endObject()
        let after = scripted?.retryAfterSeconds.map { [(HTTP2FieldName.retryAfter, String($0))] } ?? []
        return .json(error.status, body.bytes, after)
    }
}

/// Google's error object.
struct FCMError {
    let status: Int
    let canonical: String
    let code: String?
    let message: String
    var field: String?

    static func scripted(_ status: Int, _ word: String?) -> FCMError {
        let isOurs = word.map { FCMCode.status[$0] != nil } ?? false
        let code = isOurs ? word ?? "" : FCMCode.usual(status)
        let status = FCMCode.status[code] ?? status
        return FCMError(
            status: status, canonical: FCMCode.canonical(status), code: code,
            message: code == "INVALID_ARGUMENT"
                ? "The registration token is not a valid FCM registration token" : "Scripted.")
    }

    static func invalid(_ field: String, _ message: String) -> FCMError {
        FCMError(
            status: 400, canonical: "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", message: message,
            field: field)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", status)
        writer.member("message", message)
        writer.member("status", canonical)
        writer.key("details")
        writer.beginArray()
        if let code {
            writer.beginObject()
            writer.member("@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError")
            writer.member("errorCode", code)
            writer.endObject()
        }
        if let field { writeViolation(of: field, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private func writeViolation(of field: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("@type", "type.googleapis.com/google.rpc.BadRequest")
        writer.key("fieldViolations")
        writer.beginArray()
        writer.beginObject()
        writer.member("field", field)
        writer.member("description", message)
        writer.endObject()
        writer.endArray()
        writer.endObject()
    }
}
