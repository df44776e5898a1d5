import Domain
import Testing

@Suite struct IdentityTests {
    @Test func `identifiers are bytes: two spellings of one letter are two users`() {
        let composed = UserID("caf\u{e9}")
        let decomposed = UserID("cafe\u{301}")
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func `keys grow, and no two epochs or lanes share one`() {
        var first = KeyAllocator(epoch: 1, lane: 3)
        var other = KeyAllocator(epoch: 1, lane: 4)
        var later = KeyAllocator(epoch: 2, lane: 0)
        let keys: [TaskKey] = [first.allot(), first.allot(), other.allot(), later.allot()]
        #expect(keys == keys.sorted())
        #expect(Set(keys).count == 4)
        #expect(keys.allSatisfy { $0.raw > 0 })
    }
}
