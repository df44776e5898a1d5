import Wire

/// The fields of a request that a provider looks at, found in one pass.
struct RequestFields {
    private enum Name: Int {
        case method, path, authorization, apnsID, topic, pushType, priority, expiration, collapseID
    }

    /// Whether a field that stands once stands twice.
    private(set) var hasDuplicates = false
    private let headers: HTTP2Headers
    private var places = InlineArray<9, HTTP2Headers.Place?>(repeating: nil)

    private static let apnsIDName: HTTP2FieldName = "apns-id"
    private static let topicName: HTTP2FieldName = "apns-topic"
    private static let pushTypeName: HTTP2FieldName = "apns-push-type"
    private static let priorityName: HTTP2FieldName = "apns-priority"
    private static let expirationName: HTTP2FieldName = "apns-expiration"
    private static let collapseIDName: HTTP2FieldName = "apns-collapse-id"

    init(_ headers: HTTP2Headers) {
        self.headers = headers
        for place in headers.places {
            switch place.nameCount {
            case 5 where headers.isNamed(.path, place): places[Name.path.rawValue] = place
            case 7 where headers.isNamed(.method, place): places[Name.method.rawValue] = place
            case 7 where headers.isNamed(Self.apnsIDName, place): take(place, as: .apnsID)
            case 10 where headers.isNamed(Self.topicName, place): take(place, as: .topic)
            case 13 where headers.isNamed(.authorization, place): take(place, as: .authorization)
            case 13 where headers.isNamed(Self.priorityName, place): take(place, as: .priority)
            case 14 where headers.isNamed(Self.pushTypeName, place): take(place, as: .pushType)
            case 15 where headers.isNamed(Self.expirationName, place): take(place, as: .expiration)
            case 16 where headers.isNamed(Self.collapseIDName, place): take(place, as: .collapseID)
            default: break
            }
        }
    }

    var method: ArraySlice<UInt8> { self[.method] ?? [] }
    var path: ArraySlice<UInt8> { self[.path] ?? [] }
    var authorization: ArraySlice<UInt8>? { self[.authorization] }
    var apnsID: ArraySlice<UInt8>? { self[.apnsID] }
    var topic: ArraySlice<UInt8>? { self[.topic] }
    var pushType: ArraySlice<UInt8>? { self[.pushType] }
    var priority: ArraySlice<UInt8>? { self[.priority] }
    var expiration: ArraySlice<UInt8>? { self[.expiration] }
    var collapseID: ArraySlice<UInt8>? { self[.collapseID] }

    private subscript(_ name: Name) -> ArraySlice<UInt8>? {
        places[name.rawValue].map { headers.value(at: $0) }
    }

    private mutating func take(_ place: HTTP2Headers.Place, as name: Name) {
        if places[name.rawValue] != nil { hasDuplicates = true }
        places[name.rawValue] = place
    }
}

extension ArraySlice<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}
