import Wire

/// The fields of a request that a provider looks at, found in one pass.
struct RequestFields {
    var method: ArraySlice<UInt8> = []
    var path: ArraySlice<UInt8> = []
    var authorization: ArraySlice<UInt8>?
    var apnsID: ArraySlice<UInt8>?
    var topic: ArraySlice<UInt8>?
    var pushType: ArraySlice<UInt8>?
    var priority: ArraySlice<UInt8>?
    var expiration: ArraySlice<UInt8>?
    var collapseID: ArraySlice<UInt8>?
    /// Whether a field that stands once stands twice.
    private(set) var hasDuplicates = false

    private static let apnsIDName = Array("apns-id".utf8)
    private static let topicName = Array("apns-topic".utf8)
    private static let pushTypeName = Array("apns-push-type".utf8)
    private static let priorityName = Array("apns-priority".utf8)
    private static let expirationName = Array("apns-expiration".utf8)
    private static let collapseIDName = Array("apns-collapse-id".utf8)
    private static let authorizationName = Array("authorization".utf8)
    private static let methodName = Array(":method".utf8)
    private static let pathName = Array(":path".utf8)

    init(_ headers: HTTP2Headers) {
        for field in headers {
            switch field.name.count {
            case 5 where field.name.elementsEqual(Self.pathName): path = field.value
            case 7 where field.name.elementsEqual(Self.methodName): method = field.value
            case 7 where field.name.elementsEqual(Self.apnsIDName): take(field.value, as: \.apnsID)
            case 10 where field.name.elementsEqual(Self.topicName): take(field.value, as: \.topic)
            case 13 where field.name.elementsEqual(Self.authorizationName):
                take(field.value, as: \.authorization)
            case 13 where field.name.elementsEqual(Self.priorityName): take(field.value, as: \.priority)
            case 14 where field.name.elementsEqual(Self.pushTypeName): take(field.value, as: \.pushType)
            case 15 where field.name.elementsEqual(Self.expirationName): take(field.value, as: \.expiration)
            case 16 where field.name.elementsEqual(Self.collapseIDName): take(field.value, as: \.collapseID)
            default: break
            }
        }
    }

    private mutating func take(
        _ value: ArraySlice<UInt8>, as field: WritableKeyPath<RequestFields, ArraySlice<UInt8>?>
    ) {
        if self[keyPath: field] != nil { hasDuplicates = true }
        self[keyPath: field] = value
    }
}

extension ArraySlice<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}
