/// How a language says a number of things: which form it takes for a whole number (CLDR, cardinal rules).
enum PluralRule: String, CaseIterable {
    /// One form for all, as in Chinese.
    case other
    /// One and the rest, as in English.
    case oneOther = "one_other"
    /// By the last digits, as in Russian: 1, 21, 31; 2–4, 22–24; the rest, with 11–14.
    case eastSlavic = "east_slavic"

    enum Form: String, CaseIterable { case one, few, many, other }

    /// The forms that a catalog of this rule must have, and no others.
    var forms: [Form] {
        switch self {
        case .other: [.other]
        case .oneOther: [.one, .other]
        case .eastSlavic: [.one, .few, .many]
        }
    }

    func form(of number: Int64) -> Form {
        switch self {
        case .other: return .other
        case .oneOther: return number == 1 ? .one : .other
        case .eastSlavic:
            let (last, lastTwo) = (number % 10, number % 100)
            if last == 1, lastTwo != 11 { return .one }
            return (2...4).contains(last) && !(12...14).contains(lastTwo) ? .few : .many
        }
    }
}
