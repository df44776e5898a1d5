import Testing

@testable import Domain
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

    static let verdicts: [(TraceStep.Event, String)] = [
        (.muted(until: nil), #""muted","until_ms":null"#),
        (.muted(until: WallTime(milliseconds: 7)), #""muted","until_ms":7"#),
        (.gaveWay(to: 12), #""gave_way","to_seq":12"#), (.joinedUnit, #""joined_unit""#),
        (
            .wakeBudget(used: 3, budget: 3, isWake: false),
            #""wake_budget","used":3,"budget":3,"silent":false"#
        ),
    ]

    @Test(arguments: verdicts) func `a verdict has the numbers it was judged on`(
        event: TraceStep.Event, text: String
    ) {
        let steps = [TraceStep(at: WallTime(milliseconds: 5), event: event)]
        #expect(
            String(decoding: TraceEncoding.encode(steps), as: UTF8.self) == #"[{"at_ms":5,"step":\#(text)}]"#)
    }

    @Test func `a limit is told with all that it was judged on`() {
        let standing = RateStanding(
            used: 2, usedByLower: 1, limit: 10, reserve: 4, conversationUsed: 1, conversationLimit: 1)
        let steps = [
            TraceStep(at: WallTime(milliseconds: 5), event: .limits(standing, over: .conversation))
        ]
        #expect(
            String(decoding: TraceEncoding.encode(steps), as: UTF8.self)
                == #"[{"at_ms":5,"step":"limits","over":"push_rate_per_conversation_per_min","used":2,"limit":10,"#
                + #""kept_for_mentions":4,"conversation_used":1,"conversation_limit":1,"window_ms":60000}]"#)
    }

    @Test func `quiet hours are told as clocks show them`() throws {
        let window = try #require(QuietHours(start: 1_320, end: 425))
        let event = TraceStep.Event.quietHours(window, minute: 5, zone: "Asia/Shanghai", .device)
        let text = String(
            decoding: TraceEncoding.encode([TraceStep(at: WallTime(milliseconds: 5), event: event)]),
            as: UTF8.self)
        #expect(
            text == #"[{"at_ms":5,"step":"quiet_hours","start":"22:00","end":"07:05","local_time":"00:05","#
                + #""time_zone":"Asia/Shanghai","zone_of":"device"}]"#)
    }
}
