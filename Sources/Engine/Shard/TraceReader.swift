import Domain

/// Reads a stored trace of format 1 and writes it out as JSON.
struct TraceReader {
    private var stored: ArraySlice<UInt8>
    private var out = JSONBytes()
    private var at: Int64 = 0

    init(_ stored: [UInt8]) { self.stored = stored[...] }

    /// Nil for bytes that this version of the server would not have stored.
    mutating func json() -> [UInt8]? {
        guard stored.popFirst() == TraceEncoding.format else { return nil }
        out.put("[")
        while let code = stored.popFirst() {
            if out.bytes.count > 1 { out.put(",") }
            guard let code = StepCode(rawValue: code), step(code) else { return nil }
        }
        out.put("]")
        return out.bytes
    }

    private mutating func step(_ code: StepCode) -> Bool {
        guard let passed = number() else { return false }
        at &+= passed
        out.put("{\"at_ms\":")
        out.put(at)
        out.put(",\"step\":\"")
        out.put(code.word)
        out.put("\"")
        for field in code.fields {
            guard show(field) else { return false }
        }
        out.put("}")
        return true
    }

    private mutating func show(_ field: StepField) -> Bool {
        switch field {
        case .fixed(let member):
            out.put(",")
            out.put(member)
        case .number(let name):
            guard let value = number() else { return false }
            out.member(name)
            out.put(value)
        case .numberIfPositive(let name):
            guard let value = number() else { return false }
            if value > 0 {
                out.member(name)
                out.put(value)
            }
        case .flag(let name):
            guard let value = number() else { return false }
            out.member(name)
            out.put(value != 0 ? "true" : "false")
        case .clock(let name):
            guard let minute = number() else { return false }
            out.member(name)
            out.clock(minute)
        case .word(let name, let word):
            guard let value = number().flatMap(UInt8.init(exactly:)), let word = word(value) else {
                return false
            }
            out.member(name)
            out.quote(word.utf8)
        case .text(let name):
            guard let text = text() else { return false }
            out.member(name)
            out.quote(text)
        case .identifier(let name):
            guard let text = identifier() else { return false }
            out.member(name)
            out.quote(text)
        }
        return true
    }

    private mutating func number() -> Int64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64, let byte = stored.popFirst() {
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
            shift += 7
        }
        return nil
    }

    private mutating func text() -> ArraySlice<UInt8>? {
        guard let count = number(), count >= 0, count <= stored.count else { return nil }
        return take(Int(count))
    }

    private mutating func identifier() -> ArraySlice<UInt8>? {
        guard let code = stored.popFirst() else { return nil }
        guard let spelling = PackedUUID.Spelling(rawValue: code) else { return code == 0 ? text() : nil }
        guard stored.count >= 16 else { return nil }
        return PackedUUID(spelling, take(16)).text[...]
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        defer { stored.removeFirst(count) }
        return stored.prefix(count)
    }
}

/// JSON text of names and words of ours, numbers, and texts that are escaped.
private struct JSONBytes {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1_024) }

    mutating func member(_ name: StaticString) {
        put(",\"")
        put(name)
        put("\":")
    }

    mutating func put(_ text: StaticString) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func put(_ value: Int64) { bytes.append(contentsOf: String(value).utf8) }

    /// `HH:MM`
    mutating func clock(_ minute: Int64) {
        put("\"")
        for (index, number) in [minute / 60, minute % 60].enumerated() {
            if index == 1 { put(":") }
            if number < 10 { put("0") }
            put(number)
        }
        put("\"")
    }

    mutating func quote(_ text: some Sequence<UInt8>) {
        put("\"")
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20, 0x7f: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        put("\"")
    }
}
