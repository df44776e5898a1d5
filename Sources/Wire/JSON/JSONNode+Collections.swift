extension JSONNode {
    /// The members of an object in order; empty if the value is no object.
    package var members: JSONMembers { JSONMembers(node: self) }

    /// The elements of an array in order; empty if the value is no array.
    package var elements: JSONElements { JSONElements(node: self) }

    /// The member of an object under a key; nil if it is missing or the value is no object.
    /// Walks the members: ask once, or walk `members`, when there are many.
    package subscript(_ key: String) -> JSONNode? { nil }
}

/// The members of an object as (key, value).
package struct JSONMembers: Sequence, Sendable {
    let node: JSONNode

    /// Begins at the first member.
    package func makeIterator() -> AnyIterator<(key: String, value: JSONNode)> { AnyIterator { nil } }
}

/// The elements of an array.
package struct JSONElements: Sequence, Sendable {
    let node: JSONNode

    /// Begins at the first element.
    package func makeIterator() -> AnyIterator<JSONNode> { AnyIterator { nil } }

    /// The number of elements, found by walking them.
    package var count: Int { 0 }
}
