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
        #expect(shown(steps) == expected)
        #expect(shown([]) == "[]")
    }

    static let events: [(TraceStep.Event, String)] = [
        (.materialised(seq: 9), #""materialised","mailbox_seq":9"#),
        (.presence(nil), #""presence","online":false"#),
        (.presence(ConnectionID(70_000)), #""presence","online":true,"connection":70000"#),
        (.held(milliseconds: 3_000), #""held","for_ms":3000"#),
        (.pushed(ConnectionID(4)), #""pushed","connection":4"#),
        (.extended(milliseconds: 12_000), #""extended","for_ms":12000"#),
        (.due(.offline), #""due","reason":"offline""#),
        (.due(.recovered), #""due","reason":"recovered""#),
        (.merging(milliseconds: 0), #""merging","for_ms":0"#),
        (
            .built(groupSize: 2, unread: 128, badge: -1, .fcm, attempt: 1),
            #""built","transport":"fcm","group_size":2,"conversation_unread":128,"badge":-1,"attempt":1"#
        ),
        (.retrying(afterMilliseconds: 1_000), #""retrying","after_ms":1000"#),
        (.applied(through: 7), #""applied","through_seq":7"#),
        (.read(through: 8), #""read","through_seq":8"#), (.recalled(by: 6), #""recalled","by_seq":6"#),
        (.muted(until: nil), #""muted","until_ms":null"#),
        (.muted(until: WallTime(milliseconds: 7)), #""muted","until_ms":7"#),
        (.gaveWay(to: 12), #""gave_way","to_seq":12"#), (.joinedUnit, #""joined_unit""#),
        (
            .wakeBudget(used: 3, budget: 3, isWake: false),
            #""wake_budget","used":3,"budget":3,"silent":false"#
        ),
        (
            .wakeBudget(used: 0, budget: 3, isWake: true),
            #""wake_budget","used":0,"budget":3,"silent":true"#
        ),
        (
            .expiredAt(WallTime(milliseconds: 1_764_512_496_123)),
            #""expired","expires_at_ms":1764512496123"#
        ),
        (.ended(.notified, .none), #""ended","outcome":"notified","reason":"""#),
        (.ended(.dropped, .tokenDead), #""ended","outcome":"dropped","reason":"token_dead""#),
        (.call(.offered(ConnectionID(3))), #""offered","connection":3"#),
        (.call(.quota(used: 1, limit: 20)), #""quota","used":1,"limit":20"#),
        (
            .call(.built(.apnsVoIP, attempt: 2)),
            #""built","transport":"apns_voip","attempt":2"#
        ),
        (
            .call(.legEnded(.answered(by: DeviceID("tablet")))),
            #""call_ended","state":"answered","reason":"answered_elsewhere""#
        ),
        (
            .call(.legEnded(.cancelled(reason: "gave\"up"))),
            #""call_ended","state":"cancelled","reason":"gave\"up""#
        ),
    ]

    @Test(arguments: events) func `a step is shown with what it was taken on`(
        event: TraceStep.Event, text: String
    ) {
        let steps = [TraceStep(at: WallTime(milliseconds: 5), event: event)]
        #expect(shown(steps) == #"[{"at_ms":5,"step":\#(text)}]"#)
    }

    @Test func `the largest numbers find room`() {
        let (most, least) = (Int64.max, Int64.min)
        let standing = RateStanding(
            used: .max, usedByLower: .max, limit: .min, reserve: .max, conversationUsed: .max,
            conversationLimit: .min)
        let events: [TraceStep.Event] = [
            .built(groupSize: .max, unread: least, badge: most, .fcm, attempt: .min),
            .limits(standing, over: .mentionReserve), .wakeBudget(used: .max, budget: .min, isWake: true),
            .answered(.rejected, ProviderAnswer(status: .max, reason: "", providerID: "")),
            .call(.quota(used: .max, limit: .min)), .expiredAt(WallTime(milliseconds: least)),
        ]
        let steps = events.enumerated().map { place, event in
            TraceStep(at: WallTime(milliseconds: place % 2 == 0 ? 0 : most), event: event)
        }
        let text = shown(steps)
        #expect(text.contains("\"used\":\(Int.max),\"limit\":\(Int.min)"))
        #expect(text.hasSuffix("\"expires_at_ms\":\(least)}]"))
    }

    @Test func `a limit is told with all that it was judged on`() {
        let standing = RateStanding(
            used: 2, usedByLower: 1, limit: 10, reserve: 4, conversationUsed: 1, conversationLimit: 1)
        let steps = [
            TraceStep(at: WallTime(milliseconds: 5), event: .limits(standing, over: .conversation))
        ]
        #expect(
            shown(steps)
                == #"[{"at_ms":5,"step":"limits","over":"push_rate_per_conversation_per_min","used":2,"limit":10,"#
                + #""kept_for_mentions":4,"conversation_used":1,"conversation_limit":1,"window_ms":60000}]"#)
    }

    @Test func `quiet hours are told as clocks show them`() throws {
        let window = try #require(QuietHours(start: 1_320, end: 425))
        let event = TraceStep.Event.quietHours(window, minute: 5, zone: "Asia/Shanghai", .device)
        #expect(
            shown([TraceStep(at: WallTime(milliseconds: 5), event: event)])
                == #"[{"at_ms":5,"step":"quiet_hours","start":"22:00","end":"07:05","local_time":"00:05","#
                + #""time_zone":"Asia/Shanghai","zone_of":"device"}]"#)
    }

    static let verdicts: [(PushVerdict, String)] = [
        (.accepted, "accepted"), (.retry(afterMilliseconds: 5), "retry"),
        (.tokenDead(since: nil), "token_dead"),
        (.rejected, "rejected"), (.channelFault, "channel_fault"),
    ]

    @Test(arguments: verdicts) func `an answer has the word of its verdict`(
        verdict: PushVerdict, word: String
    ) {
        let step = TraceStep(
            at: WallTime(milliseconds: 5),
            event: .answered(verdict, ProviderAnswer(status: 200, reason: "")))
        #expect(shown([step]).contains(#""verdict":"\#(word)","status":200,"provider_reason":"","#))
    }

    @Test(arguments: [
        "6c1f8a4e-1111-2222-3333-0123456789ab", "6C1F8A4E-1111-2222-3333-0123456789AB",
        "00000000-0000-0000-0000-000000000000", "6C1F8A4E-1111-2222-3333-0123456789ab",
        "6c1f8a4e+1111-2222-3333-0123456789ab", "projects/p/messages/0:15", "",
    ]) func `a provider's id is shown as it came`(id: String) {
        let answer = ProviderAnswer(status: 200, reason: "", providerID: id)
        let steps = [TraceStep(at: WallTime(milliseconds: 5), event: .answered(.accepted, answer))]
        #expect(shown(steps).hasSuffix(#""provider_id":"\#(id)"}]"#))
    }

    @Test func `a push that went well takes some seventy bytes`() {
        #expect(TraceEncoding.encode(Self.usualPush).count < 80)
    }

    @Test func `JSON that was stored before is shown as it is`() {
        let old = Array(#"[{"at_ms":5,"step":"joined_unit"}]"#.utf8)
        #expect(TraceEncoding.json(old) == old)
    }

    @Test func `what a later version has stored shows no steps`() {
        for stored: [UInt8] in [[], [2, 1, 2, 3], [1, 63, 5], [1, StepCode.due.rawValue, 10, 60]] {
            #expect(TraceEncoding.json(stored) == Array("[]".utf8))
        }
    }

    @Test func `a trace that was cut short is read to no bad end`() {
        let whole = TraceEncoding.encode(Self.usualPush)
        for length in 0..<whole.count {
            let shown = TraceEncoding.json(Array(whole[..<length]))
            #expect(shown.first == UInt8(ascii: "[") && shown.last == UInt8(ascii: "]"))
        }
    }

    private static let usualPush: [TraceStep] = {
        let standing = RateStanding(
            used: 1, usedByLower: 1, limit: 30, reserve: 10, conversationUsed: 1, conversationLimit: 10)
        let answer = ProviderAnswer(
            status: 200, reason: "", providerID: "6c1f8a4e-1111-2222-3333-0123456789ab")
        let events: [TraceStep.Event] = [
            .materialised(seq: 1_700), .presence(nil), .due(.offline), .limits(standing, over: nil),
            .built(groupSize: 1, unread: 3, badge: 170, .apns, attempt: 1), .answered(.accepted, answer),
            .ended(.notified, .none),
        ]
        return events.enumerated().map {
            TraceStep(at: WallTime(milliseconds: 1_764_512_496_123 + Int64($0) * 30), event: $1)
        }
    }()

    private func shown(_ steps: [TraceStep]) -> String {
        String(decoding: TraceEncoding.json(TraceEncoding.encode(steps)), as: UTF8.self)
    }
}
