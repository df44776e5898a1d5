package import Engine
package import HTTP
package import Wire

extension Problem {
    /// What a caller is told of the engine's refusal.
    package init(_ refusal: Refusal) {
        switch refusal {
        case .unavailable:
            self.init(.unavailable, "The outcome is unknown; a repeat is safe.")
        case .standby:
            self.init(
                .standby,
                "This server does not own the data now: another does, or the database was away too long.")
        case .overloaded: self.init(.overloaded, "Nothing was done; come back later.")
        case .seqBeyondHead: self.init(.seqBeyondHead, "mailbox_seq is above the mailbox's head.")
        case .credentialRevoked:
            self.init(
                .credentialRevoked, "It was issued before the device was logged out: get a new one.")
        case .noSuchMessage: self.init(.noSuchMessage, "The user's mailbox has no message of this id.")
        case .noSuchCall: self.init(.noSuchCall, "No call of this id was made, or not to this user.")
        case .callConflict: self.init(.conflict, "The call_id is known with another caller.")
        case .conflict:
            self.init(.conflict, "The message_id is known with another conversation or sender.")
        case .failed: self.init(.internalError, "The cause is in the server's log.")
        }
    }

    package init(_ failure: StoreFailure) {
        switch failure {
        case .unavailable: self.init(.unavailable, "The outcome is unknown; a repeat is safe.")
        case .fenced:
            self.init(
                .standby,
                "This server does not own the data now: another does, or the database was away too long.")
        case .tokenTaken: self.init(.conflict, "Another owner came in between; repeat.")
        case .failed: self.init(.internalError, "The cause is in the server's log.")
        }
    }

    /// What the HTTP server answers by itself.
    package init(_ failure: HTTPServerFailure) {
        switch failure {
        case .parse(let error): self.init(error)
        case .tooSlow: self.init(.tooSlow, "The request was not complete in time.")
        case .tooManyConnections: self.init(.tooManyConnections, "Come back later.")
        case .gateShut: self.init(.unavailable, "The outcome is unknown; a repeat is safe.")
        case .notAnswered: self.init(.internalError, "The request was not answered.")
        case .needsHTTP11: self.init(.unsupportedVersion, "A streamed answer needs HTTP/1.1.")
        }
    }

    private init(_ error: HTTPParseError) {
        switch error {
        case .bodyTooLarge: self.init(.bodyTooLarge, "The body passes the server's limit.")
        case .startLineTooLong: self.init(.targetTooLong, "The request line passes the server's limit.")
        case .headersTooLarge: self.init(.headersTooLarge, "The header lines pass the server's limit.")
        case .unsupportedVersion: self.init(.unsupportedVersion, "HTTP/1.0 and HTTP/1.1 are spoken.")
        case .unsupportedTransferEncoding:
            self.init(.notImplemented, "The only transfer coding is chunked.")
        default: self.init(.malformedRequest, error.words)
        }
    }

    /// For `HTTPServer`: its own answers in the interface's form.
    package static func render(_ failure: HTTPServerFailure) -> HTTPResponse { Problem(failure).response }
}

extension HTTPParseError {
    /// What is wrong with the request, for its sender.
    fileprivate var words: String {
        switch self {
        case .malformedStartLine: "The request line is not METHOD SP target SP HTTP/1.1."
        case .malformedTarget: "The target is no path, or its percent-encoding or UTF-8 is broken."
        case .malformedHeader: "A header line is not name: value, is folded, or holds control bytes."
        case .bareLineBreak: "A line ends in a bare LF or holds a bare CR."
        case .badHost: "HTTP/1.1 needs exactly one valid Host."
        case .badContentLength: "Content-Length must stand once and be a number."
        case .conflictingFraming: "Transfer-Encoding may stand once, and not beside Content-Length."
        case .malformedChunk: "A chunk is malformed, or its extensions are too long."
        case .truncated: "The connection was closed before the request was complete."
        case .startLineTooLong, .headersTooLarge, .bodyTooLarge, .unsupportedVersion,
            .unsupportedTransferEncoding:
            "The request passes a limit of the server."
        }
    }
}
