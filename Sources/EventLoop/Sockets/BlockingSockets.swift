/// Connections of one thread that does nothing else: it waits for all of them together.
///
/// For a generator of load, which has to cost little beside what it measures: no loop, no second thread. What
/// serves others belongs to an `EventLoop`. Not for two threads at once.
package final class BlockingSockets {
    private static let takenAtOnce = 64
    private static let readBufferBytes = 65_536

    private let set: Int32
    private var descriptors: [Int32?] = []
    private var found: [System.ReadyDescriptor] = []
    private var readBuffer = [UInt8](repeating: 0, count: readBufferBytes)

    package init() throws(SystemError) {
        guard let set = System.makeReadySet() else {
            throw SystemError(call: "epoll_create", code: System.tooManyOpenFiles)
        }
        self.set = set
    }

    deinit {
        for descriptor in descriptors { if let descriptor { System.close(descriptor) } }
        System.close(set)
    }

    /// Opens one more and waits until it stands. They are numbered from 0 on.
    package func connect(to address: SocketAddress) throws(SystemError) -> Int {
        let descriptor = try System.socket(for: address, isBlocking: true)
        do throws(SystemError) {
            _ = try System.connect(descriptor, to: address)
            switch address {
            case .ipv4, .ipv6: try System.setNoDelay(descriptor)
            case .unix: break
            }
            try System.watchInput(descriptor, in: set, token: UInt64(descriptors.count))
        } catch {
            System.close(descriptor)
            throw error
        }
        descriptors.append(descriptor)
        return descriptors.count - 1
    }

    /// Returns when the kernel has all of it. False: the connection is at its end.
    package func send(_ bytes: [UInt8], on number: Int) -> Bool {
        guard let descriptor = descriptors[number] else { return false }
        var offset = 0
        while offset < bytes.count {
            guard case .moved(let count) = System.send(descriptor, bytes, from: offset) else { return false }
            offset += count
        }
        return true
    }

    /// Waits until something has come, or for so long, and gives what came: the bytes, which are valid during
    /// the call, or nil for the end of a connection.
    package func receive(withinMilliseconds limit: Int, _ take: (Int, ArraySlice<UInt8>?) -> Void) {
        System.takeReady(
            set, into: &found, capacity: Self.takenAtOnce, waitingMilliseconds: Int32(clamping: limit))
        for ready in found {
            let number = Int(ready.token)
            guard let descriptor = descriptors[number] else { continue }
            if case .moved(let count) = System.receive(descriptor, into: &readBuffer) {
                take(number, readBuffer[..<count])
            } else {
                end(number, descriptor)
                take(number, nil)
            }
        }
    }

    private func end(_ number: Int, _ descriptor: Int32) {
        descriptors[number] = nil
        System.unwatch(descriptor, in: set)
        System.close(descriptor)
    }
}
