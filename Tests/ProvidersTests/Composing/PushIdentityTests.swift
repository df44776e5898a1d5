import Domain
import Engine
import Testing
import Wire

@testable import Providers

struct PushIdentityTests {
    private func id(_ parts: [String]) -> String {
        PushIdentity.pushID(
            tenant: TenantID(parts[0]), user: UserID(parts[1]), device: DeviceID(parts[2]),
            oldestMessage: MessageID(parts[3]), kind: .alert
        ).text
    }

    @Test func `the same push keeps its id and another has another`() {
        let base = ["demo", "bob", "tablet", "m-1"]
        #expect(id(base) == id(base))
        for index in base.indices {
            var other = base
            other[index] += "x"
            #expect(id(other) != id(base))
        }
        #expect(UUIDBytes(text: id(base)) != nil)
        #expect(Array(id(base))[14] == "5")
    }

    @Test func `parts that run together stay apart`() {
        #expect(id(["ab", "c", "d", "e"]) != id(["a", "bc", "d", "e"]))
        #expect(id(["a", "b\u{1}c", "d", "e"]) != id(["a", "b", "\u{1}c\u{1}d", "e"]))
    }

    @Test func `a collapse id is 32 characters of base64url`() {
        let collapseID = PushIdentity.collapseID(
            tenant: TenantID("demo"), user: UserID("bob"), conversation: ConversationID("c-1"),
            sealing: TestSealing())
        #expect(collapseID.count == 32)
    }
}
