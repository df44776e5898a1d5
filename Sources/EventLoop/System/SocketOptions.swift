/// What is set on a connected TCP socket before its first byte.
package struct SocketOptions: Sendable, Equatable {
    /// Probes of a silent peer; the clock starts at the last byte received.
    package struct KeepAlive: Sendable, Equatable {
        package var idleSeconds: Int
        package var intervalSeconds: Int
        package var count: Int

        package init(idleSeconds: Int, intervalSeconds: Int, count: Int) {
            self.idleSeconds = idleSeconds
            self.intervalSeconds = intervalSeconds
            self.count = count
        }
    }

    /// Small writes leave at once.
    package var noDelay: Bool
    /// How long written bytes may stay unacknowledged before the
    /// connection fails; nil: the kernel's fifteen minutes.
    package var userTimeoutMilliseconds: Int?
    package var keepAlive: KeepAlive?
    /// The kernel's send buffer; nil leaves it to grow by itself.
    package var sendBufferBytes: Int?

    package init(
        noDelay: Bool = true, userTimeoutMilliseconds: Int? = nil, keepAlive: KeepAlive? = nil,
        sendBufferBytes: Int? = nil
    ) {
        self.noDelay = noDelay
        self.userTimeoutMilliseconds = userTimeoutMilliseconds
        self.keepAlive = keepAlive
        self.sendBufferBytes = sendBufferBytes
    }

    /// TCP's own options are left out on a Unix socket.
    func apply(to descriptor: Int32, isTCP: Bool = true) throws(SystemError) {
        if let sendBufferBytes { try System.setSendBuffer(descriptor, bytes: sendBufferBytes) }
        guard isTCP else { return }
        if noDelay { try System.setNoDelay(descriptor) }
        if let userTimeoutMilliseconds {
            try System.setUserTimeout(descriptor, milliseconds: userTimeoutMilliseconds)
        }
        if let keepAlive {
            try System.setKeepAlive(
                descriptor, idleSeconds: keepAlive.idleSeconds, intervalSeconds: keepAlive.intervalSeconds,
                count: keepAlive.count)
        }
    }
}
