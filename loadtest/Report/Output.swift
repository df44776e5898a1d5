import Glibc

/// Standard output: the report, and nothing else.
enum Output {
    static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}

/// What is going on, on standard error.
enum Progress {
    static func say(_ text: String) { Output.write("rouse-loadtest: \(text)\n", to: STDERR_FILENO) }
}
