/// Whole numbers as decimal text, without a `String` in between.
enum DecimalText {
    static func append(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(ASCII.minus) }
        append(value.magnitude, to: &bytes)
    }

    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        // From the last digit on: a division by a constant is a multiplication.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = value
        repeat {
            start -= 1
            digits[start] = ASCII.zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        bytes.append(addingCapacity: digits.count - start) { (output: inout OutputSpan<UInt8>) in
            for index in start..<digits.count { output.append(digits[index]) }
        }
    }
}
