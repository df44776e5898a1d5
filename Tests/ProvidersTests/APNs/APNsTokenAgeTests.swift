import Domain
import Testing

@testable import Providers

struct APNsTokenAgeTests {
    private let issued = WallTime(milliseconds: 1_800_000_000_000)
    private func after(_ minutes: Int64) -> WallTime { issued + minutes * 60_000 }

    @Test func `a stored token is used up to 50 minutes`() {
        #expect(APNsTokenAge.isReusable(issuedAt: issued, at: after(49)))
        #expect(!APNsTokenAge.isReusable(issuedAt: issued, at: after(50)))
    }

    @Test func `a token from the future is not trusted`() {
        #expect(!APNsTokenAge.isReusable(issuedAt: issued, at: after(-2)))
    }

    @Test func `no token is replaced within 20 minutes`() {
        #expect(!APNsTokenAge.mayReplace(issuedAt: issued, at: after(19)))
        #expect(APNsTokenAge.mayReplace(issuedAt: issued, at: after(20)))
    }

    @Test func `renewal is due at 45 minutes`() {
        #expect(APNsTokenAge.untilRenewal(issuedAt: issued, at: after(40)) == 5 * 60_000)
        #expect(APNsTokenAge.untilRenewal(issuedAt: issued, at: after(60)) == 0)
    }
}
