/// A request target taken apart: origin-form, absolute-form, or `*` for OPTIONS (RFC 9112 section 3.2).
struct HTTPTarget {
    var pathSegments: [String] = []
    var query = HTTPQuery()

    init(_ target: ArraySlice<UInt8>, method: HTTPMethod) throws(HTTPParseError) {
        if method == .options, target.elementsEqual([ASCII.asterisk]) { return }
        let origin = try Self.origin(target)
        let path = origin.prefix { $0 != ASCII.question }
        self.pathSegments = try Self.segments(path)
        if path.endIndex < origin.endIndex {
            self.query = try HTTPQuery(parsing: origin[(path.endIndex + 1)...])
        }
    }

    /// The target from its path on.
    private static func origin(_ target: ArraySlice<UInt8>) throws(HTTPParseError) -> ArraySlice<UInt8> {
        if target.first == ASCII.slash { return target }
        for scheme in ["http://", "https://"] {
            let prefix = target.prefix(scheme.utf8.count)
            guard ASCII.equalIgnoringCase(prefix, scheme) else { continue }
            let rest = target[prefix.endIndex...]
            let authority = rest.prefix { $0 != ASCII.slash && $0 != ASCII.question }
            guard !authority.isEmpty, authority.allSatisfy(HTTPHost.isHostByte) else { break }
            return rest[authority.endIndex...]
        }
        throw .malformedTarget
    }

    /// The decoded segments; a path of `/` or nothing has none.
    private static func segments(_ path: ArraySlice<UInt8>) throws(HTTPParseError) -> [String] {
        guard path.count > 1 else { return [] }
        var segments: [String] = []
        segments.reserveCapacity(4)
        var rest = path.dropFirst()
        while true {
            let segment = rest.prefix { $0 != ASCII.slash }
            guard let text = PercentEncoding.decode(segment) else { throw .malformedTarget }
            segments.append(text)
            guard segment.endIndex < rest.endIndex else { return segments }
            rest = rest[(segment.endIndex + 1)...]
        }
    }
}

/// The `Host` field.
enum HTTPHost {
    /// The bytes of a host with a port: unreserved, sub-delims, `%`, `:`, brackets.
    static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x2D, 0x2E, 0x5F, 0x7E, 0x21, 0x24...0x2C, 0x3A, 0x3B, 0x3D, 0x5B, 0x5D: true
        default: false
        }
    }

    static func isValid(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range where !isHostByte(bytes[index]) { return false }
        return !range.isEmpty
    }
}
