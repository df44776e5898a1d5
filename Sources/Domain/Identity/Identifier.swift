/// A wire identifier: 1 to 128 bytes of UTF-8, compared byte for byte.
///
/// Swift compares strings by canonical equivalence, so that two spellings of "é" would be one user; an
/// identifier of a backend is a key, and keys are bytes.
package struct Identifier<Kind>: Sendable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { text }
}

extension Identifier: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        let (left, right) = (left.text.utf8.span, right.text.utf8.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    package func hash(into hasher: inout Hasher) {
        unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension Identifier: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

package enum TenantKind {}
package enum UserKind {}
package enum DeviceKind {}
package enum MessageKind {}
package enum ConversationKind {}
package enum CallKind {}

package typealias TenantID = Identifier<TenantKind>
package typealias UserID = Identifier<UserKind>
/// An installation of the app, of one user.
package typealias DeviceID = Identifier<DeviceKind>
package typealias MessageID = Identifier<MessageKind>
package typealias ConversationID = Identifier<ConversationKind>
package typealias CallID = Identifier<CallKind>
