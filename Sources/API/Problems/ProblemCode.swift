/// The stable words of the interface's errors; the one table of what each answers with.
package enum ProblemCode: String, CaseIterable, Sendable {
    case malformedRequest = "malformed_request"
    case malformedJSON = "malformed_json"
    case unknownField = "unknown_field"
    case wrongType = "wrong_type"
    case missingField = "missing_field"
    case noCredential = "no_credential"
    case badCredential = "bad_credential"
    case credentialExpired = "credential_expired"
    case credentialRevoked = "credential_revoked"
    case forbidden
    case notFound = "not_found"
    case noSuchTenant = "no_such_tenant"
    case noSuchMessage = "no_such_message"
    case noSuchCall = "no_such_call"
    case methodNotAllowed = "method_not_allowed"
    case tooSlow = "too_slow"
    case conflict
    case alreadyExists = "already_exists"
    case lengthRequired = "length_required"
    case bodyTooLarge = "body_too_large"
    case payloadTooLarge = "payload_too_large"
    case dataTooLarge = "data_too_large"
    case tooManyLines = "too_many_lines"
    case targetTooLong = "target_too_long"
    case unsupportedMediaType = "unsupported_media_type"
    case invalidValue = "invalid_value"
    case seqBeyondHead = "seq_beyond_head"
    case notSupported = "not_supported"
    case blocked
    case headersTooLarge = "headers_too_large"
    case overloaded
    case tooManyFailures = "too_many_failures"
    case internalError = "internal_error"
    case notImplemented = "not_implemented"
    case unavailable
    case standby
    case tooManyConnections = "too_many_connections"
    case unsupportedVersion = "unsupported_version"

    package var status: Int {
        switch self {
        case .malformedRequest, .malformedJSON, .unknownField, .wrongType, .missingField: 400
        case .noCredential, .badCredential, .credentialExpired, .credentialRevoked: 401
        case .forbidden: 403
        case .notFound, .noSuchTenant, .noSuchMessage, .noSuchCall: 404
        case .methodNotAllowed: 405
        case .tooSlow: 408
        case .conflict, .alreadyExists: 409
        case .lengthRequired: 411
        case .bodyTooLarge, .payloadTooLarge, .dataTooLarge, .tooManyLines: 413
        case .targetTooLong: 414
        case .unsupportedMediaType: 415
        case .invalidValue, .seqBeyondHead, .notSupported: 422
        case .blocked: 424
        case .headersTooLarge: 431
        case .overloaded, .tooManyFailures: 429
        case .internalError: 500
        case .notImplemented: 501
        case .unavailable, .standby, .tooManyConnections: 503
        case .unsupportedVersion: 505
        }
    }

    /// The same for every problem of this code (RFC 9457 section 3.1.3).
    package var title: StaticString {
        switch self {
        case .malformedRequest: "The request is not well-formed"
        case .malformedJSON: "The body is not well-formed JSON"
        case .unknownField: "A field is not known"
        case .wrongType: "A field has the wrong type"
        case .missingField: "A required field is missing"
        case .noCredential: "A credential is needed"
        case .badCredential: "The credential is not valid"
        case .credentialExpired: "The credential has expired"
        case .credentialRevoked: "The credential was revoked by a logout"
        case .forbidden: "The credential does not allow this"
        case .notFound: "There is nothing at this path"
        case .noSuchTenant: "There is no such tenant"
        case .noSuchMessage: "There is no such message for this user"
        case .noSuchCall: "There is no such call"
        case .methodNotAllowed: "The method is not allowed here"
        case .tooSlow: "The request came too slowly"
        case .conflict: "The id is in use for something else"
        case .alreadyExists: "The name is taken"
        case .lengthRequired: "The length of the body is needed"
        case .bodyTooLarge: "The body is too large"
        case .payloadTooLarge: "The payload is too large"
        case .dataTooLarge: "The notification's data would not fit into a push"
        case .tooManyLines: "There are too many lines"
        case .targetTooLong: "The request target is too long"
        case .unsupportedMediaType: "The content type is not supported"
        case .invalidValue: "A field has an impossible value"
        case .seqBeyondHead: "The sequence number is above the mailbox's head"
        case .notSupported: "This is not supported"
        case .blocked: "An earlier message of the conversation failed"
        case .headersTooLarge: "The header fields are too large"
        case .overloaded: "Too much is waiting already"
        case .tooManyFailures: "Too many bad credentials came from this address"
        case .internalError: "The server failed"
        case .notImplemented: "This is not implemented"
        case .unavailable: "The database is away"
        case .standby: "This server is a standby"
        case .tooManyConnections: "There are too many connections"
        case .unsupportedVersion: "The HTTP version is not supported"
        }
    }

    /// How long a caller had better wait, where waiting helps.
    package var retryAfterSeconds: Int? {
        switch self {
        case .overloaded, .unavailable: 1
        case .standby, .tooManyConnections: 5
        case .tooManyFailures: 60
        default: nil
        }
    }
}
