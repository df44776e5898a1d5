import Domain
import Foundation
import Testing

@testable import Providers

/// Payloads over a rich corpus, read by another parser than ours.
struct PayloadCorpusTests {
    private static let seeds = 0..<240

    @Test func `every APNs payload is valid, within its limit and what its kind is`() throws {
        for seed in Self.seeds {
            let example = CorpusCase(seed: seed)
            for content in example.contents {
                var drafts = example.drafts
                if case .call = content { drafts.transport = .apnsVoIP }
                if case .callCancelled = content { continue }
                let draft = drafts.draft(content)
                let body = try #require(drafts.apnsBody(draft), "seed \(seed) \(draft.kind)")
                #expect(body.count <= (draft.kind == .call ? 5_120 : 4_096), "seed \(seed) \(draft.kind)")
                let payload = try #require(Self.parse(body), "seed \(seed) \(draft.kind)")
                let aps = try #require(payload["aps"] as? [String: Any])
                let alert = aps["alert"] as? [String: Any]
                let caller = (payload["rouse"] as? [String: Any])?["caller"] as? [String: Any]
                #expect(Self.isRight(aps, draft), "seed \(seed) \(draft.kind)")
                #expect(alert.map { !$0.isEmpty } ?? true)
                let shown = Shown(
                    title: alert?["title"], subtitle: alert?["subtitle"], body: alert?["body"],
                    caller: caller?["name"])
                #expect(shown.fault(drafts, draft) == nil, "seed \(seed) \(draft.kind)")
            }
        }
    }

    @Test(arguments: [Policy.FCMForm.notification, .data])
    func `every FCM message is valid, within its limit and made of strings`(form: Policy.FCMForm) throws {
        for seed in Self.seeds {
            let example = CorpusCase(seed: seed)
            for content in example.contents {
                var drafts = example.drafts
                drafts.transport = .fcm
                let draft = drafts.draft(content)
                let body = try #require(drafts.fcmBody(draft, form), "seed \(seed) \(draft.kind)")
                let message = try #require(Self.parse(body)?["message"] as? [String: Any])
                let data = try #require(message["data"] as? [String: String], "seed \(seed) \(draft.kind)")
                let android = try #require(message["android"] as? [String: Any])
                let notification = android["notification"] as? [String: Any]
                #expect(Self.byteCount(data, notification) <= 4_096, "seed \(seed) \(draft.kind)")
                #expect(notification?["notification_count"] as? Int != 0)
                #expect(notification == nil || draft.kind == .alert)
                #expect(data.keys.allSatisfy { $0 != "from" && !$0.hasPrefix("google") })
                let shown = Shown(
                    title: notification?["title"] ?? data["rouse_title"], subtitle: data["rouse_subtitle"],
                    body: notification?["body"] ?? data["rouse_body"], caller: data["rouse_caller_name"])
                #expect(shown.fault(drafts, draft) == nil, "seed \(seed) \(draft.kind)")
            }
        }
    }

    private static func parse(_ body: [UInt8]) -> [String: Any]? {
        guard String(validating: body, as: UTF8.self) != nil else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    }

    private static func isRight(_ aps: [String: Any], _ draft: PushDraft) -> Bool {
        let keys = Set(aps.keys)
        return switch draft.content {
        case .alert:
            keys.isSuperset(of: ["alert", "thread-id", "mutable-content"])
                && keys.contains("badge") == (draft.badge > 0 && !draft.isTokenShared)
        case .wake: keys == ["content-available"]
        case .call: keys.isEmpty
        case .callCancelled: false
        case .cover(let cover) where cover.rendered != nil:
            keys.isSuperset(of: ["alert", "interruption-level", "content-available"])
                && !keys.contains("sound") && keys.contains("badge") != draft.isTokenShared
        case .cover, .badge:
            keys == (draft.isTokenShared ? ["content-available"] : ["badge", "content-available"])
        }
    }

    /// As FCM counts: the keys and values of `data`; of the notification what is at least as much.
    private static func byteCount(_ data: [String: String], _ notification: [String: Any]?) -> Int {
        let values = notification?.mapValues { $0 as? String ?? String(describing: $0) } ?? [:]
        return (Array(data) + Array(values)).reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}

/// The texts of a payload that people read.
private struct Shown {
    let title: String?
    let subtitle: String?
    let body: String?
    let caller: String?

    init(title: Any?, subtitle: Any?, body: Any?, caller: Any?) {
        self.title = title as? String
        self.subtitle = subtitle as? String
        self.body = body as? String
        self.caller = caller as? String
    }

    /// The first text that is neither what was to be said nor its beginning; nil if all are fine.
    func fault(_ drafts: Drafts, _ draft: PushDraft) -> String? {
        if case .call(let call) = draft.content {
            return isCut(caller, from: [call.callerName]) ? nil : caller
        }
        guard let alert = draft.shown else { return nil }
        let phrases = Phrases.of(locale: draft.locale)
        let content = drafts.isEndToEndEncrypted ? NotificationContent() : drafts.content
        // Where even the data had to go, the backend's own words may have gone, too.
        let texts = [content, NotificationContent()].map { AlertText(alert, $0, phrases) }
        if !isCut(title, from: texts.map(\.title)) { return title }
        if !isCut(subtitle, from: texts.map(\.subtitle)) { return subtitle }
        return isCut(body, from: texts.map(\.body)) ? nil : body
    }

    /// Whether the text is one of the originals, or its beginning with "…", without a broken character.
    private func isCut(_ text: String?, from originals: [String?]) -> Bool {
        guard let text else { return true }
        return originals.contains { original in
            guard let original else { return false }
            if text.unicodeScalars.elementsEqual(original.unicodeScalars) { return true }
            let (characters, whole) = (Array(text), Array(original))
            guard characters.last == "…", characters.count - 1 <= whole.count else { return false }
            return zip(characters.dropLast(), whole).allSatisfy {
                $0.unicodeScalars.elementsEqual($1.unicodeScalars)
            }
        }
    }
}
