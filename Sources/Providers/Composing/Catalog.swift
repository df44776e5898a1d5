import Wire

/// The words of one language, as its file in `Catalogs` has them.
struct Catalog {
    /// Lower-case language tags (BCP 47) that this catalog speaks for.
    let tags: [String]
    let phrases: Phrases

    /// Why a file is no catalog; a defect of ours, which a test finds before anybody else.
    struct Fault: Error, Equatable {
        let name: String
        let problem: String
    }

    init(name: String, json: String) throws(Fault) {
        guard let root = try? JSONDocument(parsing: Array(json.utf8)).root else {
            throw Fault(name: name, problem: "no JSON")
        }
        func text(_ key: String) throws(Fault) -> String {
            guard let text = root[key]?.string, !text.isEmpty else { throw Fault(name: name, problem: key) }
            return text
        }
        guard let rule = PluralRule(rawValue: try text("plural_rule")) else {
            throw Fault(name: name, problem: "plural_rule")
        }
        var forms: [PluralRule.Form: Phrases.CountedText] = [:]
        for (key, value) in root["new_messages"]?.members.map({ ($0, $1) }) ?? [] {
            guard let form = PluralRule.Form(rawValue: key), let words = value.string,
                let place = words.firstRange(of: "%n")
            else { throw Fault(name: name, problem: "new_messages.\(key)") }
            forms[form] = Phrases.CountedText(
                before: String(words[..<place.lowerBound]), after: String(words[place.upperBound...]))
        }
        guard Set(forms.keys) == Set(rule.forms) else {
            throw Fault(name: name, problem: "new_messages has not the forms of \(rule.rawValue)")
        }
        tags = root["tags"]?.elements.compactMap(\.string) ?? []
        phrases = Phrases(
            newMessage: try text("new_message"), plural: rule, newMessagesForms: forms,
            encryptedConversation: try text("encrypted_conversation"))
    }

    /// Every catalog that was built in, by tag.
    static let byTag: [String: Phrases] = {
        var byTag: [String: Phrases] = [:]
        for source in sources {
            guard let catalog = try? Catalog(name: source.name, json: source.json) else { continue }
            for tag in catalog.tags { byTag[tag] = catalog.phrases }
        }
        return byTag
    }()
}
