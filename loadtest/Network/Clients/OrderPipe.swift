import Glibc

/// A FIFO by which a child takes orders: held open for reading, too, so that neither side waits.
struct OrderPipe: ~Copyable {
    let path: String
    private let descriptor: Int32

    init(path: String) throws(LoadtestFailure) {
        self.path = path
        guard unsafe mkfifo(path, 0o600) == 0 else { throw Self.failure("make", path) }
        let opened = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw Self.failure("open", path) }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// One line. A child that is stopped or gone leaves it in the pipe.
    func write(_ line: String) throws(LoadtestFailure) {
        let bytes = Array((line + "\n").utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw Self.failure("write", path) }
    }

    private static func failure(_ verb: String, _ path: String) -> LoadtestFailure {
        LoadtestFailure("cannot \(verb) \(path): \(unsafe String(cString: strerror(errno)))")
    }
}
