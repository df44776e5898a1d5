/// Checks a text once, byte by byte, and writes the tape.
struct JSONScanner {
    let limits: JSONLimits

    mutating func scan(_ bytes: [UInt8]) throws(JSONError) -> JSONTape {
        throw JSONError("nothing is read yet", byteOffset: 0)
    }
}
