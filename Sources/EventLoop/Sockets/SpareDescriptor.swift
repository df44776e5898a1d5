/// One descriptor held back for the moment when there is no other: it is closed, the next client is accepted
/// in its place and told so. That client's socket is the spare from then on, so that it can read in peace.
struct SpareDescriptor {
    private var descriptor: Int32?
    /// It is a client that was turned away.
    private var isInUse = false

    init() { descriptor = System.spareSocket() }

    /// Makes room for one descriptor.
    mutating func giveUp() {
        if let descriptor {
            if isInUse { System.discardInput(descriptor) }
            System.close(descriptor)
        }
        descriptor = nil
        isInUse = false
    }

    /// Holds one back again, if there is one.
    mutating func takeBack() {
        giveUp()
        descriptor = System.spareSocket()
    }

    /// The client gets the bytes, as far as its socket takes them at once, and the end; without bytes, a
    /// reset.
    mutating func spend(on peer: Int32, saying refusal: [UInt8]?) {
        guard let refusal else {
            System.resetOnClose(peer)
            System.close(peer)
            return takeBack()
        }
        descriptor = peer
        isInUse = true
        _ = System.send(peer, refusal, from: 0)
        System.shutdownOutput(peer)
        // What is unread when it is closed would take the answer back.
        System.discardInput(peer)
    }
}
