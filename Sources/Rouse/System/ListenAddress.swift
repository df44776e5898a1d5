import EventLoop

/// Addresses to listen on, and what to say when one cannot be had.
enum ListenAddress {
    static func parse(_ text: String) throws(CommandFailure) -> SocketAddress {
        guard let address = SocketAddress(parsing: text) else {
            throw CommandFailure("\(text) is no address to listen on; 127.0.0.1:8080 would be one")
        }
        return address
    }

    /// - Parameter change: the option or config key that names another address.
    static func listening<Server>(
        on address: SocketAddress, change: String, _ open: () throws -> Server
    ) throws -> Server {
        do { return try open() } catch let error as SystemError {
            throw CommandFailure(
                "cannot listen on \(address): \(error.description); choose another by \(change)")
        }
    }
}
