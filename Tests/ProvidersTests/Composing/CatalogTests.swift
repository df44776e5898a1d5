import Testing

@testable import Providers

struct CatalogTests {
    @Test(arguments: Catalog.sources.map(\.name))
    func `every catalog is whole`(name: String) throws {
        let source = try #require(Catalog.sources.first { $0.name == name })
        let catalog = try Catalog(name: source.name, json: source.json)
        #expect(!catalog.tags.isEmpty)
        for tag in catalog.tags { #expect(tag == tag.lowercased() && Catalog.byTag[tag] != nil) }
        for count in [0, 1, 2, 5, 11, 21, 1_000_000] as [Int64] {
            #expect(catalog.phrases.newMessages(count).contains(String(count)))
        }
    }

    @Test(
        arguments: [
            (1, "one"), (21, "one"), (101, "one"), (11, "many"), (111, "many"), (2, "few"), (24, "few"),
            (102, "few"), (12, "many"), (14, "many"), (112, "many"), (0, "many"), (5, "many"), (20, "many"),
            (25, "many"), (100, "many"),
        ] as [(Int64, String)])
    func `Russian numbers go by their last digits`(number: Int64, form: String) {
        #expect(PluralRule.eastSlavic.form(of: number).rawValue == form)
    }

    @Test(arguments: [
        ("zh-Hans-CN", "3 条新消息"), ("zh_CN", "3 条新消息"), ("ZH", "3 条新消息"), ("ru-RU", "3 новых сообщения"),
        ("en-GB", "3 new messages"), ("eo", "3 new messages"), ("", "3 new messages"),
    ])
    func `a device's locale finds its language`(locale: String, text: String) {
        #expect(Phrases.of(locale: locale).newMessages(3) == text)
    }

    @Test func `one message and many are told apart`() {
        #expect(Phrases.of(locale: "ru").newMessages(21) == "21 новое сообщение")
        #expect(Phrases.of(locale: "ru").newMessages(11) == "11 новых сообщений")
        #expect(Phrases.english.newMessages(1) == "1 new message")
    }

    @Test(arguments: [
        ("{", "no JSON"), (#"{"plural_rule":"dual"}"#, "plural_rule"),
        (#"{"plural_rule":"other","new_messages":{"other":"many"}}"#, "new_messages.other"),
        (
            #"{"plural_rule":"one_other","new_messages":{"other":"%n"}}"#,
            "new_messages has not the forms of one_other"
        ),
        (#"{"plural_rule":"other","new_messages":{"other":"%n"}}"#, "new_message"),
    ])
    func `a file that is no catalog is told what it lacks`(json: String, problem: String) {
        #expect(throws: Catalog.Fault(name: "x", problem: problem)) { try Catalog(name: "x", json: json) }
    }
}
