import Domain

/// One generated message with its recipient's state, and every push that may be made of it.
struct CorpusCase {
    let drafts: Drafts
    let contents: [PushDraft.Content]

    init(seed: Int) {
        var dice = CorpusDice(seed: seed)
        var drafts = Drafts()
        drafts.kind = dice.pick([.direct, .group])
        drafts.name = dice.chance(2, in: 3) ? TextCorpus.text(dice.pick([0, 5, 40, 700]), &dice) : nil
        drafts.senderName = dice.chance(4, in: 5) ? TextCorpus.text(dice.pick([0, 5, 40, 700]), &dice) : nil
        drafts.isEndToEndEncrypted = dice.chance(1, in: 6)
        drafts.mention = dice.pick([.none, .none, .user, .all])
        drafts.count = Int64(dice.pick([1, 1, 1, 2, 5, 21, 1_000]))
        drafts.badge = Int64(dice.pick([0, 1, 7, 99_999]))
        drafts.locale = dice.pick([nil, "en", "zh-Hans-CN", "ru_RU", "xx"])
        drafts.isTokenShared = dice.chance(1, in: 5)
        drafts.messageID = dice.pick(["m-1", String(repeating: "\"", count: 128)])
        drafts.notification = Self.notification(&dice)
        self.drafts = drafts
        contents = Self.contents(drafts.alert, &dice)
    }

    private static func notification(_ dice: inout CorpusDice) -> String {
        var members: [String] = []
        func add(_ key: String, _ value: String) { members.append("\"\(key)\":\(value)") }
        if dice.chance(1, in: 2) { add("title", spelled([0, 3, 60, 900, 10_240], &dice)) }
        if dice.chance(4, in: 5) { add("body", spelled([0, 1, 30, 300, 3_500, 4_100, 10_240], &dice)) }
        if dice.chance(1, in: 8) { add("title_loc_key", #""T""#) }
        if dice.chance(1, in: 6) {
            add("body_loc_key", #""B""#)
            add("body_loc_args", "[\(spelled([3, 60], &dice)), \(spelled([0, 600], &dice))]")
        }
        if dice.chance(1, in: 3) { add("sound", dice.pick([#""ping""#, "null", #""""#])) }
        if dice.chance(1, in: 3) { add("category", spelled([3, 30], &dice)) }
        if dice.chance(1, in: 4) { add("image_url", #""https://example.com/a.png""#) }
        if dice.chance(1, in: 2) { add("data", data(&dice)) }
        return "{\(members.joined(separator: " ,\n"))}"
    }

    static func data(_ dice: inout CorpusDice) -> String {
        let text = spelled([0, 10, 200, 2_000], &dice)
        return dice.pick([
            #"{"plain":\#(text)}"#, #"{"nested":{"a":[1,-2.5e3,true,null,\#(text)]},"empty":""}"#, "{}",
            #"{"aps":{"badge":7},"rouse":1,"google.x":"y","from":"z","ключ":\#(text)}"#,
        ])
    }

    private static func spelled(_ byteCounts: [Int], _ dice: inout CorpusDice) -> String {
        let text = TextCorpus.text(dice.pick(byteCounts), &dice)
        return TextCorpus.spelled(text, &dice)
    }

    private static func contents(_ alert: AlertDraft, _ dice: inout CorpusDice) -> [PushDraft.Content] {
        let clear = (0..<dice.pick([0, 1, 5, CoverDraft.maximumCleared])).map { ConversationID("c-\($0)") }
        func cover(_ rendered: AlertDraft?) -> PushDraft.Content {
            .cover(
                CoverDraft(
                    conversation: ConversationID("c-0"), clear: clear, oldestMessage: MessageID("m-0"),
                    rendered: rendered))
        }
        let call = CallDraft(
            callID: CallID("call"), callerUser: UserID("alice"),
            callerName: TextCorpus.text(dice.pick([0, 20, 900, 10_240]), &dice),
            isVideo: dice.chance(1, in: 2),
            data: Array(data(&dice).utf8), expiresAt: Drafts.expiry)
        let end = CallEndDraft(
            callID: CallID("call"), reason: TextCorpus.text(dice.pick([0, 20, 120]), &dice))
        return [
            .alert(alert), .wake(alert), cover(alert), cover(nil), .badge, .call(call), .callCancelled(end),
        ]
    }
}
