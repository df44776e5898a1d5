import CLinux

/// Every system call of the room, one function each; the only file that knows CLinux and its pointers.
/// EINTR is retried here and nowhere else; errors come back as values.
enum System {
    enum Transfer: Equatable {
        case moved(Int)
        case ended
        case wouldBlock
        case failed(Int32)
    }

    static let tooManyOpenFiles = EMFILE
    static let fileTableFull = ENFILE
    static let notFound = ENOENT
    static let addressInUse = EADDRINUSE

    static func message(for code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    // MARK: Bytes

    static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Transfer {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            let code = clinux_errno()
            if code != EINTR { return code == EAGAIN ? .wouldBlock : .failed(code) }
        }
    }

    static func send(_ descriptor: Int32, _ bytes: [UInt8], from offset: Int) -> Transfer {
        while true {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe CLinux.send(
                    descriptor, $0.baseAddress.map { unsafe $0 + offset }, $0.count - offset,
                    Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return .moved(count) }
            let code = clinux_errno()
            if code != EINTR { return code == EAGAIN ? .wouldBlock : .failed(code) }
        }
    }

    // MARK: Readiness

    /// A set of watched descriptors; nil when there is no descriptor left for it.
    static func makeReadySet() -> Int32? {
        let descriptor = clinux_epoll_create()
        return descriptor >= 0 ? descriptor : nil
    }

    /// Tells each change once (edge-triggered): what can be read, the end and errors, and `andWritable`.
    static func watch(
        _ descriptor: Int32, in set: Int32, token: UInt64, andWritable: Bool = false, isNew: Bool = true
    ) throws(SystemError) {
        let input = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        let events = andWritable ? input | EPOLLOUT.rawValue : input
        try checked(
            "epoll_ctl",
            clinux_epoll_control(set, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, events, token))
    }

    /// Tells for as long as there is something to read.
    static func watchInput(_ descriptor: Int32, in set: Int32, token: UInt64) throws(SystemError) {
        try checked(
            "epoll_ctl",
            clinux_epoll_control(set, EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue, token))
    }

    static func unwatch(_ descriptor: Int32, in set: Int32) {
        _ = clinux_epoll_control(set, EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    struct ReadyDescriptor {
        let token: UInt64
        let readiness: Readiness
    }

    /// What has changed since the last call, or does within so many milliseconds, as many as `capacity` (at
    /// most 64).
    static func takeReady(
        _ set: Int32, into found: inout [ReadyDescriptor], capacity: Int, waitingMilliseconds wait: Int32 = 0
    ) {
        found.removeAll(keepingCapacity: true)
        unsafe withUnsafeTemporaryAllocation(of: clinux_ready.self, capacity: capacity) { ready in
            let count = unsafe clinux_epoll_ready(set, ready.baseAddress, Int32(capacity), wait)
            for index in 0..<Int(max(0, count)) {
                let events = unsafe ready[index].events
                let readiness = Readiness(
                    canRead: events & EPOLLIN.rawValue != 0, canWrite: events & EPOLLOUT.rawValue != 0,
                    hasEnded: events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0)
                found.append(ReadyDescriptor(token: unsafe ready[index].token, readiness: readiness))
            }
        }
    }

    // MARK: Life of a descriptor

    static func socket(for address: SocketAddress, isBlocking: Bool = false) throws(SystemError) -> Int32 {
        let family: Int32 =
            switch address {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let mode = isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue)
        return try checked("socket", CLinux.socket(family, kind | mode, 0))
    }

    static func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) {
        let result = unsafe withSocketAddress(address) { unsafe CLinux.bind(descriptor, $0, $1) }
        try checked("bind", result)
    }

    static func listen(_ descriptor: Int32, backlog: Int32) throws(SystemError) {
        try checked("listen", CLinux.listen(descriptor, backlog))
    }

    /// The new descriptor (non-blocking, close-on-exec), nil when nobody waits.
    static func accept(_ descriptor: Int32) throws(SystemError) -> Int32? {
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        while true {
            let peer = accept4(descriptor, nil, nil, flags)
            if peer >= 0 { return peer }
            switch clinux_errno() {
            case EAGAIN: return nil
            case EINTR, ECONNABORTED: continue
            case let code: throw SystemError(call: "accept", code: code)
            }
        }
    }

    /// True when connected at once, false when on the way.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) -> Bool {
        let result = unsafe withSocketAddress(address) { unsafe CLinux.connect(descriptor, $0, $1) }
        if result == 0 { return true }
        let code = clinux_errno()
        if code == EINPROGRESS || code == EINTR { return false }
        throw SystemError(call: "connect", code: code)
    }

    static func close(_ descriptor: Int32) { _ = CLinux.close(descriptor) }

    static func shutdownOutput(_ descriptor: Int32) {
        _ = CLinux.shutdown(descriptor, Int32(SHUT_WR))
    }

    /// A socket that leads nowhere: it only keeps a descriptor. Nil: there is none left.
    static func spareSocket() -> Int32? {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = CLinux.socket(AF_UNIX, kind, 0)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Reads away what has arrived, up to a bound.
    static func discardInput(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<8 {
            guard case .moved = receive(descriptor, into: &buffer) else { return }
        }
    }

    /// The soft limit after an attempt to make it the hard one.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard unsafe clinux_get_descriptor_limit(&limit) == 0 else { return 1_024 }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if unsafe clinux_set_descriptor_limit(&raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }

    static func resetOnClose(_ descriptor: Int32) { _ = clinux_set_reset_on_close(descriptor) }

    /// Removes a socket left behind by a dead process; anything that is not a socket stays.
    static func removeStaleSocket(at path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK) else {
            return
        }
        _ = unsafe unlink(path)
    }

    // MARK: Options

    static func setReuseAddress(_ descriptor: Int32) throws(SystemError) {
        try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR")
    }

    static func setIPv6Only(_ descriptor: Int32) throws(SystemError) {
        try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1, "IPV6_V6ONLY")
    }

    static func setNoDelay(_ descriptor: Int32) throws(SystemError) {
        try set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1, "TCP_NODELAY")
    }

    static func setUserTimeout(_ descriptor: Int32, milliseconds: Int) throws(SystemError) {
        try set(
            descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: milliseconds),
            "TCP_USER_TIMEOUT")
    }

    static func setKeepAlive(
        _ descriptor: Int32, idleSeconds: Int, intervalSeconds: Int, count: Int
    ) throws(SystemError) {
        try set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1, "SO_KEEPALIVE")
        try set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, Int32(clamping: idleSeconds), "TCP_KEEPIDLE")
        try set(
            descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, Int32(clamping: intervalSeconds), "TCP_KEEPINTVL")
        try set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, Int32(clamping: count), "TCP_KEEPCNT")
    }

    static func setSendBuffer(_ descriptor: Int32, bytes: Int) throws(SystemError) {
        try set(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes), "SO_SNDBUF")
    }

    /// The error that waits on the socket (0: none); reading it takes it away.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return result == 0 ? code : clinux_errno()
    }

    private static func set(
        _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32, _ name: String
    ) throws(SystemError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        try checked("setsockopt \(name)", unsafe setsockopt(descriptor, level, option, &value, size))
    }

    // MARK: Addresses

    static func localAddress(of descriptor: Int32) -> SocketAddress? {
        unsafe readAddress { unsafe getsockname(descriptor, $0, $1) }
    }

    static func peerAddress(of descriptor: Int32) -> SocketAddress? {
        unsafe readAddress { unsafe getpeername(descriptor, $0, $1) }
    }

    /// Blocks for as long as the resolver likes: never on a loop.
    static func resolve(host: String, port: UInt16) -> Result<[SocketAddress], NameError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var found: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, nil, &hints, &found)
        guard code == 0 else {
            let reason = unsafe gai_strerror(code).map { unsafe String(cString: $0) }
            return .failure(NameError(host: host, reason: reason ?? "error \(code)"))
        }
        defer { unsafe freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var entry = unsafe found
        while let current = unsafe entry {
            if let name = unsafe current.pointee.ai_addr, let address = unsafe decode(name) {
                addresses.append(address.with(port: port))
            }
            unsafe entry = current.pointee.ai_next
        }
        return .success(addresses)
    }

    static func parseIPv4(_ text: String) -> UInt32? {
        var address = in_addr()
        guard unsafe inet_pton(AF_INET, text, &address) == 1 else { return nil }
        return UInt32(bigEndian: address.s_addr)
    }

    static func parseIPv6(_ text: String) -> IPv6Address? {
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        return unsafe IPv6Address(bytes: withUnsafeBytes(of: address) { unsafe Array($0) })
    }

    static func text(of address: IPv6Address) -> String {
        var raw = native(address)
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(AF_INET6, &raw, &text, socklen_t(text.count)) != nil else { return "::" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func native(_ address: IPv6Address) -> in6_addr {
        var raw = in6_addr()
        unsafe withUnsafeMutableBytes(of: &raw) { unsafe $0.copyBytes(from: address.bytes) }
        return raw
    }

    private static func readAddress(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                guard unsafe call(name, &length) == 0 else { return nil }
                return unsafe decode(name)
            }
        }
    }

    private static func decode(_ name: UnsafePointer<sockaddr>) -> SocketAddress? {
        let raw = unsafe UnsafeRawPointer(name)
        switch unsafe Int32(name.pointee.sa_family) {
        case AF_INET:
            let name = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            return .ipv4(UInt32(bigEndian: name.sin_addr.s_addr), port: UInt16(bigEndian: name.sin_port))
        case AF_INET6:
            let name = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            let bytes = unsafe withUnsafeBytes(of: name.sin6_addr) { unsafe Array($0) }
            guard let address = IPv6Address(bytes: bytes) else { return nil }
            return .ipv6(address, port: UInt16(bigEndian: name.sin6_port), scope: name.sin6_scope_id)
        case AF_UNIX: return .unix(path: "")
        default: return nil
        }
    }

    private static func withSocketAddress<R>(
        _ address: SocketAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        switch address {
        case .ipv4(let host, let port):
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = host.bigEndian
            return unsafe rebound(&name, body)
        case .ipv6(let host, let port, let scope):
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            name.sin6_addr = native(host)
            name.sin6_scope_id = scope
            return unsafe rebound(&name, body)
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &name.sun_path) { space in
                unsafe space.copyBytes(from: path.utf8.prefix(SocketAddress.maximumPathLength))
            }
            return unsafe rebound(&name, body)
        }
    }

    private static func rebound<Name, R>(
        _ name: inout Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, socklen_t(MemoryLayout<Name>.size))
            }
        }
    }

    // MARK: Clocks

    static func bootNanoseconds() -> UInt64 { nanoseconds(CLOCK_BOOTTIME) }

    static func wallNanoseconds() -> UInt64 { nanoseconds(CLOCK_REALTIME) }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var now = timespec()
        _ = unsafe clock_gettime(clock, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    @discardableResult
    private static func checked(_ call: String, _ result: Int32) throws(SystemError) -> Int32 {
        guard result < 0 else { return result }
        throw SystemError(call: call, code: clinux_errno())
    }
}
