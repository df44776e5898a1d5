/// Google's error codes, the status each comes with, and the canonical word of that status.
enum FCMCode {
    static let status: [String: Int] = [
        "INVALID_ARGUMENT": 400, "THIRD_PARTY_AUTH_ERROR": 401, "SENDER_ID_MISMATCH": 403,
        "UNREGISTERED": 404,
        "QUOTA_EXCEEDED": 429, "INTERNAL": 500, "UNAVAILABLE": 503,
    ]

    /// The code meant when a script names the status only, or in Apple's words.
    static func usual(_ status: Int) -> String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "THIRD_PARTY_AUTH_ERROR"
        case 403: "SENDER_ID_MISMATCH"
        case 404, 410: "UNREGISTERED"
        case 429: "QUOTA_EXCEEDED"
        case 500: "INTERNAL"
        default: "UNAVAILABLE"
        }
    }

    static func canonical(_ status: Int) -> String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 429: "RESOURCE_EXHAUSTED"
        case 500: "INTERNAL"
        default: "UNAVAILABLE"
        }
    }
}
