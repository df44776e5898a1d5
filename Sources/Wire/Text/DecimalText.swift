/// Whole numbers as decimal text, without a `String` in between.
enum DecimalText {
    static func append(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(ASCII.minus) }
        append(value.magnitude, to: &bytes)
    }

    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        guard value >= 10 else { return bytes.append(ASCII.zero + UInt8(value)) }
        var divisor: UInt64 = 10
        while value / divisor >= 10 { divisor *= 10 }
        var rest = value
        while divisor > 0 {
            bytes.append(ASCII.zero + UInt8(truncatingIfNeeded: rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }
}
