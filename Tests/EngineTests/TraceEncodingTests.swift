import Domain
import Testing

@testable import Engine

@Suite struct TraceEncodingTests {
    @Test func `steps become JSON; a provider's reason is escaped`() {
        let steps = [
            TraceStep(at: WallTime(milliseconds: 5), event: .materialised(seq: 9)),
            TraceStep(
                at: WallTime(milliseconds: 6),
                event: .answered(
                    .rejected, ProviderAnswer(status: 400, reason: "Bad\"\u{1}Topic", providerID: "x"))),
        ]
        let expected = #"""
            [{"at_ms":5,"step":"materialised","mailbox_seq":9},{"at_ms":6,"step":"answered","verdict":"rejected","status":400,"provider_reason":"Bad\" Topic","provider_id":"x"}]
            """#
        #expect(String(decoding: TraceEncoding.encode(steps), as: UTF8.self) == expected)
        #expect(TraceEncoding.encode([]) == Array("[]".utf8))
    }
}
