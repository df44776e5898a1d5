/// What must hold of N-4: what is read on one device is not pushed to another, and what was pushed is covered
/// there, in the form that its provider honours. Pure.
enum N4Checker {
    /// One user's part in a scene, as one device's provider saw it.
    struct Performance: Sendable {
        var scene = N4Scene.accepted
        var expected = N4Scene.accepted.expectation
        var device = LoadDevice(user: 0)
        /// The messages' numbers, in their order.
        var messages: [Int] = []
        /// All that the provider received for the device.
        var pushes: [ReceivedPush] = []
        /// By the badge call, at the end.
        var total: Int64 = 0
    }

    static func findings(_ performances: [Performance]) -> Findings {
        var found = Findings()
        if performances.isEmpty { found.add("nothing was looked at", "no performance") }
        for performance in performances {
            alerts(performance, &found)
            covers(performance, &found)
            badge(performance, &found)
        }
        return found
    }

    static func name(_ performance: Performance) -> String {
        "\(performance.scene), \(performance.device.transport), \(performance.device)"
    }

    // MARK: Alerts

    private static func alerts(_ performance: Performance, _ found: inout Findings) {
        let accepted = performance.pushes.filter { $0.kind == "alert" && $0.isAccepted }
        for (index, message) in performance.messages.enumerated() {
            let id = RequestTemplate.messageID(message)
            let count = accepted.count { $0.messageID == id }
            if !performance.expected.alerts.contains(index) {
                if count > 0 { found.add("what was read was pushed", "\(name(performance)): \(id)") }
            } else if count == 0 || count > 1 && !performance.expected.mayRepeat {
                found.add("a message was not pushed once", "\(name(performance)): \(id), \(count) times")
            }
        }
        let others = performance.pushes.filter { !["alert", "cover", "badge"].contains($0.kind) }
        for push in others { found.add("a push of another kind came", "\(name(performance)): \(push.kind)") }
    }

    /// The collapse id of each conversation's alerts.
    private static func collapseIDs(_ performance: Performance) -> [Int: String] {
        var ids: [Int: String] = [:]
        for push in performance.pushes where push.kind == "alert" {
            let index = performance.messages.firstIndex { RequestTemplate.messageID($0) == push.messageID }
            if let index { ids[performance.expected.conversations[index]] = push.form.collapseID }
        }
        return ids
    }

    // MARK: Covers

    private static func covers(_ performance: Performance, _ found: inout Findings) {
        let covers = performance.pushes.filter { $0.kind == "cover" && $0.isAccepted }
        guard performance.expected.isCovered else {
            if let cover = covers.first {
                found.add("a cover came that nobody is owed", "\(name(performance)): \(cover.form.clear)")
            }
            return
        }
        guard let newest = covers.last else {
            return found.add("what was read is not covered", name(performance))
        }
        if covers.count > 1 && !performance.expected.mayRepeat {
            found.add("a device was covered more than once", "\(name(performance)): \(covers.count)")
        }
        if let last = performance.pushes.last(where: { $0.kind == "alert" }), last.sequence > newest.sequence,
            !performance.expected.mayRepeat
        {
            found.add("an alert came after the cover", "\(name(performance)): \(last.messageID)")
        }
        content(newest, performance, &found)
        for cover in covers { form(cover, performance, &found) }
    }

    private static func content(
        _ cover: ReceivedPush, _ performance: Performance, _ found: inout Findings
    ) {
        let (expected, ids) = (performance.expected, collapseIDs(performance))
        let cleared = Set(expected.cleared.compactMap { ids[$0] })
        if cover.form.clear != cleared || cleared.count != expected.cleared.count {
            found.add(
                "a cover does not clear what was read, and nothing else",
                "\(name(performance)): \(cover.form.clear.sorted()), expected \(cleared.sorted())")
        }
        guard let rendered = expected.rendered else {
            if cover.form.hasText {
                found.add("a cover shows what was read", "\(name(performance)): \(cover.messageID)")
            }
            if !cleared.contains(cover.form.collapseID) {
                found.add(
                    "a cover goes under another collapse id", "\(name(performance)): \(cover.form.collapseID)"
                )
            }
            return
        }
        let id = RequestTemplate.messageID(performance.messages[rendered.message])
        if !cover.form.hasText || cover.messageID != id || cover.count.map({ $0 != rendered.count }) ?? false
        {
            found.add(
                "a cover does not show again what stays unread",
                "\(name(performance)): \(cover.form.hasText ? cover.messageID : "no text"), "
                    + "count \(cover.count ?? 0), expected \(id), count \(rendered.count)")
        }
        if cover.form.collapseID != ids[expected.conversations[rendered.message]] {
            found.add("a cover goes under another collapse id", name(performance))
        }
    }

    private static func form(_ cover: ReceivedPush, _ performance: Performance, _ found: inout Findings) {
        for fault in N4Form.faults(cover, performance.expected) {
            found.add("a cover's form is not its provider's", "\(name(performance)): \(fault)")
        }
    }

    // MARK: The badge

    private static func badge(_ performance: Performance, _ found: inout Findings) {
        let text = name(performance)
        if performance.total != performance.expected.unread {
            found.add(
                "the badge call is wrong", "\(text): \(performance.total) of \(performance.expected.unread)")
        }
        guard performance.expected.badgeByPush, let last = performance.pushes.last(where: \.isAccepted)
        else { return }
        if last.rouseBadge != performance.total {
            found.add(
                "the last badge is not the unread",
                "\(text): \(last.kind) with \(last.rouseBadge.map { "\($0)" } ?? "none"), "
                    + "\(performance.total) are unread")
        }
    }
}

/// The form of a cover: what each provider makes silent.
enum N4Form {
    static func faults(_ cover: ReceivedPush, _ expected: N4Scene.Expectation) -> [String] {
        switch cover.form.provider {
        case .apns: apns(cover, expected)
        case .fcm: fcm(cover)
        }
    }

    private static func apns(_ cover: ReceivedPush, _ expected: N4Scene.Expectation) -> [String] {
        let form = cover.form
        var faults: [String] = []
        if form.pushType != "alert" { faults.append("push type \(form.pushType)") }
        if form.priority != "5" { faults.append("priority \(form.priority)") }
        if form.members.contains("sound") { faults.append("a sound") }
        if cover.badge == nil || cover.badge != cover.rouseBadge { faults.append("no badge in aps") }
        if let atOnce = expected.expiresAtOnce, (form.expiration == 0) != atOnce {
            faults.append("expiration \(form.expiration ?? -1)")
        }
        if form.hasText {
            if form.interruptionLevel != "passive" { faults.append("not passive") }
        } else {
            if !form.isContentAvailable { faults.append("no content-available") }
            let others = form.members.subtracting(["badge", "content-available"])
            if !others.isEmpty { faults.append("aps has \(others.sorted())") }
        }
        return faults
    }

    private static func fcm(_ cover: ReceivedPush) -> [String] {
        var faults: [String] = []
        if cover.form.isDrawn { faults.append("a notification that FCM draws") }
        if cover.form.priority.uppercased() != "NORMAL" { faults.append("priority \(cover.form.priority)") }
        if cover.rouseBadge == nil { faults.append("no badge in data") }
        return faults
    }
}
