import EventLoop
import Testing

struct BlockingSocketsTests {
    /// What each connection has received, until all have so many bytes.
    private func received(_ sockets: BlockingSockets, bytes: Int, connections: Int) -> [Int: [UInt8]] {
        var received: [Int: [UInt8]] = [:]
        while received.count < connections || received.values.contains(where: { $0.count < bytes }) {
            sockets.receive(withinMilliseconds: 1_000) { received[$0, default: []] += $1 ?? [] }
        }
        return received
    }

    /// 200 kB fill every buffer on the way.
    @Test(arguments: [5, 200_000]) func `what is sent comes back to each connection`(count: Int) throws {
        let host = try Host { $0.onReceive = { $0.send(Array($1)) } }
        let sockets = try BlockingSockets()
        for number in 0..<3 { #expect(try sockets.connect(to: host.listener.address) == number) }
        for number in 0..<3 {
            #expect(sockets.send(Array(repeating: UInt8(number), count: count), on: number))
        }
        let received = received(sockets, bytes: count, connections: 3)
        for number in 0..<3 { #expect(received[number] == Array(repeating: UInt8(number), count: count)) }
    }

    @Test func `an end is told once, and nothing can be sent any more`() async throws {
        let host = try Host()
        let sockets = try BlockingSockets()
        _ = try sockets.connect(to: host.listener.address)
        let server = try await host.next()
        server.act { $0.close(.immediately) }
        var ends = 0
        while ends == 0 {
            sockets.receive(withinMilliseconds: 1_000) { number, bytes in if bytes == nil { ends += 1 } }
        }
        sockets.receive(withinMilliseconds: 0) { _, _ in ends += 1 }
        #expect(ends == 1)
        #expect(!sockets.send([1], on: 0))
    }

    @Test func `nobody listening is a system error`() throws {
        let sockets = try BlockingSockets()
        let error = #expect(throws: SystemError.self) { try sockets.connect(to: .unix(path: "/nobody/here")) }
        #expect(error?.call == "connect")
    }
}
