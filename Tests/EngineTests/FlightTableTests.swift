import Domain
import Testing

@testable import Engine

@Suite struct FlightTableTests {
    private func flight(_ device: Int64) -> Flight {
        let name = UserName(tenant: TenantKey(1), user: UserID("u"))
        let user = User(
            key: UserKey(1), id: name.user, mailboxID: MailboxID(bytes: Array(repeating: 0, count: 16)),
            policy: SharedPolicy(Policy()))
        let cached = CachedUser(
            name: name, tenantName: TenantID("t"), user: user, tokens: SealedTokens(),
            lastUsed: Instant(milliseconds: 0)
        )
        return Flight(cached, DeviceKey(device), 0, token: TokenKey(device))
    }

    @Test func `a request is found by its number until it is removed, also where numbers were left out`() {
        var flights = FlightTable()
        for number in [3, 4, 9] as [UInt64] { flights.insert(flight(Int64(number)), number) }
        for number in [0, 2, 5, 8, 10] as [UInt64] { #expect(flights[number] == nil) }
        #expect(flights.count == 3)
        #expect(flights.remove(3)?.device == DeviceKey(3))
        #expect(flights.remove(3) == nil)
        #expect(flights[9]?.device == DeviceKey(9))
        #expect(flights[4]?.device == DeviceKey(4))
        #expect(flights.filter { $0.device == DeviceKey(9) }.keys.sorted() == [9])
    }

    @Test func `numbers go on where all before have ended`() {
        var flights = FlightTable()
        for number in 1...5_000 as ClosedRange<UInt64> {
            flights.insert(flight(Int64(number)), number)
            if number > 10 { #expect(flights.remove(number - 10)?.device == DeviceKey(Int64(number) - 10)) }
        }
        #expect(flights.count == 10)
        for number in 4_991...5_000 as ClosedRange<UInt64> { #expect(flights.remove(number) != nil) }
        #expect(flights.isEmpty)
        flights.insert(flight(7), 7_000)
        #expect(flights[7_000]?.device == DeviceKey(7))
        #expect(flights.filter { _ in true }.keys.sorted() == [7_000])
    }

    @Test func `what never ends keeps its place, however many come after it`() {
        var flights = FlightTable()
        flights.insert(flight(1), 1)
        for number in 2...3_000 as ClosedRange<UInt64> {
            flights.insert(flight(Int64(number)), number)
            #expect(flights.remove(number) != nil)
        }
        #expect(flights.remove(1)?.device == DeviceKey(1))
        #expect(flights.isEmpty)
    }
}
