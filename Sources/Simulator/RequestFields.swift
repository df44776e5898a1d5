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
            case 7 where field.name.elementsEqual(Self.apnsIDName):
                Self.take(field.value, as: &apnsID, &hasDuplicates)
            case 10 where field.name.elementsEqual(Self.topicName):
                Self.take(field.value, as: &topic, &hasDuplicates)
            case 13 where field.name.elementsEqual(Self.authorizationName):
                Self.take(field.value, as: &authorization, &hasDuplicates)
            case 13 where field.name.elementsEqual(Self.priorityName):
                Self.take(field.value, as: &priority, &hasDuplicates)
            case 14 where field.name.elementsEqual(Self.pushTypeName):
                Self.take(field.value, as: &pushType, &hasDuplicates)
            case 15 where field.name.elementsEqual(Self.expirationName):
                Self.take(field.value, as: &expiration, &hasDuplicates)
            case 16 where field.name.elementsEqual(Self.collapseIDName):
                Self.take(field.value, as: &collapseID, &hasDuplicates)
            default: break
            }
        }
    }

    private static func take(
        _ value: ArraySlice<UInt8>, as field: inout ArraySlice<UInt8>?, _ hasDuplicates: inout Bool
    ) {
        if field != nil { hasDuplicates = true }
        field = value
    }
}

extension ArraySlice<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}
