import Wire

/// An answer of FCM as it came: Google's error object, flattened to what decides.
package struct FCMAnswer: Equatable, Sendable {
    package var status: Int
    /// `error.status`, for example `NOT_FOUND`.
    package var reason = ""
    /// `errorCode` of the FcmError detail, for example `UNREGISTERED`.
    package var errorCode = ""
    /// Whether the message or a violated field says that the token itself is none.
    package var blamesToken = false
    /// Whether the exceeded quota is that of one device, not of the project.
    package var isDeviceQuota = false
    package var retryAfterMilliseconds: Int64?
    /// The name given to an accepted message.
    package var name = ""

    package init(status: Int, reason: String = "", errorCode: String = "") {
        self.status = status
        self.reason = reason
        self.errorCode = errorCode
    }

    /// Reads status, `retry-after` and the JSON body; a body of a middlebox leaves the words empty.
    package init(status: Int, retryAfter: String?, body: [UInt8]) {
        self.init(status: status)
        retryAfterMilliseconds = RetryAfter.milliseconds(retryAfter)
        guard !body.isEmpty, let document = try? JSONDocument(parsing: body) else { return }
        if status == 200 {
            name = document.root["name"]?.string.map(Self.shortened) ?? ""
        } else if let error = document.root["error"] {
            read(error)
        }
    }

    private static let maximumNameByteCount = 256

    /// A name is some 60 bytes; only what is no name is counted by its characters.
    private static func shortened(_ name: String) -> String {
        name.utf8.count <= maximumNameByteCount ? name : String(name.prefix(maximumNameByteCount))
    }

    /// The most telling word there is, for the trace.
    package var word: String { errorCode.isEmpty ? reason : errorCode }

    private mutating func read(_ error: JSONNode) {
        reason = error["status"]?.string.flatMap(AnswerWord.init)?.text ?? ""
        if let message = error["message"]?.string, message.contains("not a valid FCM registration token") {
            blamesToken = true
        }
        guard let details = error["details"] else { return }
        for detail in details.elements { read(detail: detail) }
    }

    private mutating func read(detail: JSONNode) {
        guard let type = detail["@type"]?.string else { return }
        if type.hasSuffix("google.firebase.fcm.v1.FcmError") {
            errorCode = detail["errorCode"]?.string.flatMap(AnswerWord.init)?.text ?? ""
        } else if type.hasSuffix("google.rpc.BadRequest"), let violations = detail["fieldViolations"] {
            for violation in violations.elements {
                let field = violation["field"]?.string
                if field == "message.token" || field == "message.fid" { blamesToken = true }
            }
        } else if type.hasSuffix("google.rpc.QuotaFailure"), let violations = detail["violations"] {
            for violation in violations.elements {
                let text = (violation["subject"]?.string ?? "") + (violation["description"]?.string ?? "")
                if text.lowercased().contains("device") { isDeviceQuota = true }
            }
        } else if type.hasSuffix("google.rpc.RetryInfo"), retryAfterMilliseconds == nil {
            retryAfterMilliseconds = detail["retryDelay"]?.string.flatMap(Self.milliseconds(duration:))
        }
    }

    /// `"3.5s"`, rounded up to whole seconds.
    private static func milliseconds(duration: String) -> Int64? {
        guard duration.hasSuffix("s"), let seconds = Double(duration.dropLast()), seconds >= 0, seconds < 1e6
        else { return nil }
        return RetryAfter.milliseconds(String(Int64(seconds.rounded(.up))))
    }
}
