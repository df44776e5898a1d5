import Testing

@testable import RouseLoadtest

@Suite struct LabTests {
    private let addresses = LabAddresses(pid: 4_194_304, subnet: 99)

    @Test func `the names of links fit the kernel's fifteen characters`() {
        let names = [
            addresses.bridge, addresses.carrier.inside, addresses.carrier.outside,
            addresses.link(LabAddresses.limit), addresses.peer(LabAddresses.limit),
        ]
        for name in names { #expect(name.utf8.count <= 15) }
        #expect(Set(names).count == names.count)
    }

    @Test func `what is made is removed`() {
        let ending = addresses.ending([7])
        #expect(ending.contains("netns del \(addresses.namespace(7))"))
        #expect(ending.contains("link del \(addresses.link(7))"))
        #expect(ending.contains("link del \(addresses.bridge)"))
        #expect(ending.contains("route del unreachable 10.99.0.0/16 metric 1004194304"))
    }

    @Test func `namespaces and links tell which process made them`() {
        #expect(LabAddresses.owner(ofNamespace: addresses.namespace(3)) == 4_194_304)
        #expect(LabAddresses.owner(ofNamespace: "cni-1234") == nil)
        #expect(LabAddresses.owner(ofLink: addresses.link(3)) == 4_194_304)
        #expect(LabAddresses.owner(ofLink: addresses.bridge) == 4_194_304)
        #expect(LabAddresses.owner(ofLink: "eth0") == nil)
    }

    @Test func `covering routes tell which process made them`() {
        let routes = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask
            eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000
            *\t0000630A\t00000000\t0200\t0\t0\t1000000042\t0000FFFF
            *\t0000640A\t00000000\t0200\t0\t0\t4000\t0000FFFF
            """
        let found = LabAddresses.coveringRoutes(in: routes)
        #expect(found.map(\.owner) == [42])
        #expect(found.map(\.route) == ["unreachable 10.99.0.0/16 metric 1000000042"])
    }

    @Test func `a subnet that the machine routes elsewhere is not taken`() {
        let heading = "Iface\tDestination\tGateway\n"
        #expect(LabAddresses.freeSubnet(pid: 10, routes: heading + "eth0\t00000000\t0102A8C0\n") == 74)
        #expect(LabAddresses.freeSubnet(pid: 10, routes: heading + "eth0\t00004A0A\t00000000\n") == 75)
        let all = (64..<192).map { "eth0\t0000\(hex($0))0A\t00000000\n" }.joined()
        #expect(LabAddresses.freeSubnet(pid: 10, routes: heading + all) == nil)
    }

    private func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return digits.count == 1 ? "0\(digits)" : digits
    }

    @Test func `established peers of one port are read from the kernel's table`() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100630A:1F90 0201630A:C001 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0
               1: 0100630A:1F90 0301630A:C002 06 00000000:00000000 00:00000000 00000000     0        0 1 1 0
               2: 0100630A:1F91 0401630A:C003 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0
            """
        #expect(
            SocketTable.peers(ofLocalPort: 8080, in: table)
                == [SocketTable.Endpoint(host: "10.99.1.2", port: 49_153)])
    }

    @Test func `the end of a host's last connection is noted`() {
        let watch = SocketWatch()
        let first = SocketTable.Endpoint(host: "10.99.1.2", port: 1)
        let second = SocketTable.Endpoint(host: "10.99.1.2", port: 2)
        watch.note([first, second], at: 100)
        watch.note([second], at: 200)
        #expect(watch.goneAt(host: "10.99.1.2") == nil)
        #expect(watch.openCount(host: "10.99.1.2") == 1)
        watch.note([], at: 300)
        #expect(watch.goneAt(host: "10.99.1.2") == 300)
        #expect(watch.goneAt(host: "10.99.1.9") == nil)
    }

    @Test func `a table of rows aligns its columns and names what was not seen`() {
        var table = RowTable("runs", [.init("name", "run"), .init("due_ms", "due after")])
        table.add([.text("a long name"), .number(15_430)])
        table.add([.text("b"), .nothing])
        #expect(
            table.lines == [
                "  run          due after", "  a long name     15,430", "  b                    -",
            ])
    }
}
