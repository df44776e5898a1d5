/// Splits header lines into names and values, refusing everything RFC 9112 section 5 lets another parser
/// read differently: folded lines, space before the colon, control bytes, bare line breaks.
enum HTTPFieldScanner {
    /// The fields of lines that begin at `start` and end with a blank line at the end of `bytes`.
    static func scan(
        _ bytes: Span<UInt8>, from start: Int, limits: HTTPLimits
    ) throws(HTTPParseError) -> [HTTPHeaders.Field] {
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(12)
        var index = start
        while bytes[index] != ASCII.carriageReturn {
            guard fields.count < limits.headerCount else { throw .headersTooLarge }
            fields.append(try field(bytes, at: &index))
        }
        guard index + 2 == bytes.count else { throw .bareLineBreak }
        return fields
    }

    /// Reads one line and leaves `index` behind its CRLF.
    private static func field(
        _ bytes: Span<UInt8>, at index: inout Int
    ) throws(HTTPParseError) -> HTTPHeaders.Field {
        let nameStart = index
        while ASCII.isTokenByte(bytes[index]) { index += 1 }
        guard index > nameStart, bytes[index] == ASCII.colon else { throw .malformedHeader }
        let nameEnd = index
        index += 1
        while isBlank(bytes[index]) { index += 1 }
        let valueStart = index
        index = ByteScan.control(bytes, from: index)
        while bytes[index] == ASCII.tab { index = ByteScan.control(bytes, from: index + 1) }
        guard bytes[index] == ASCII.carriageReturn else { throw .malformedHeader }
        guard bytes[index + 1] == ASCII.lineFeed else { throw .bareLineBreak }
        var valueEnd = index
        while valueEnd > valueStart, isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
        index += 2
        return HTTPHeaders.Field(
            nameStart: UInt32(nameStart), nameEnd: UInt32(nameEnd), valueStart: UInt32(valueStart),
            valueEnd: UInt32(valueEnd))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
}
