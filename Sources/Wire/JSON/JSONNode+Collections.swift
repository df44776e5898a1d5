extension JSONNode {
    /// The members of an object in order; empty if the value is no object.
    package var members: JSONMembers { JSONMembers(node: self) }

    /// As `members`, with keys that are compared where they stand: for readers of known fields.
    package var fields: JSONFields { JSONFields(node: self) }

    /// The elements of an array in order; empty if the value is no array.
    package var elements: JSONElements { JSONElements(node: self) }

    /// The member of an object under a key; nil if it is missing or the value is no object.
    /// Walks the members: ask once, or walk `members`, when there are many.
    package subscript(_ key: String) -> JSONNode? {
        let own = entry
        guard own.kind == .object else { return nil }
        var next = index + 1
        while next < Int(own.next) {
            if tape.matches(tape.entries[next], key) { return JSONNode(tape: tape, index: next + 1) }
            next = Int(tape.entries[next + 1].next)
        }
        return nil
    }
}

/// The members of an object as (key, value).
package struct JSONMembers: Sequence, Sendable {
    let node: JSONNode

    /// Begins at the first member.
    package func makeIterator() -> Iterator { Iterator(fields: node.fields.makeIterator()) }

    /// Walks the members.
    package struct Iterator: IteratorProtocol {
        var fields: JSONFields.Iterator

        /// The next member.
        package mutating func next() -> (key: String, value: JSONNode)? {
            guard let (key, value) = fields.next() else { return nil }
            return (key.text, value)
        }
    }
}

/// The key of a member in its document: a `switch` over it makes no `String`.
package struct JSONKey: Sendable {
    let tape: JSONTape
    let entry: JSONTape.Entry

    /// The decoded key.
    package var text: String { tape.text(entry) }

    /// Whether the decoded key is this text.
    package static func ~= (text: StaticString, key: JSONKey) -> Bool { key.tape.matches(key.entry, text) }
}

/// The members of an object as (key, value), the keys in place.
package struct JSONFields: Sequence, Sendable {
    let node: JSONNode

    /// Begins at the first member.
    package func makeIterator() -> Iterator {
        let entry = node.entry
        return Iterator(
            tape: node.tape, index: node.index + 1, end: entry.kind == .object ? Int(entry.next) : 0)
    }

    /// Walks the members by their siblings on the tape.
    package struct Iterator: IteratorProtocol {
        let tape: JSONTape
        var index: Int
        let end: Int

        /// The next member.
        package mutating func next() -> (key: JSONKey, value: JSONNode)? {
            guard index < end else { return nil }
            let key = JSONKey(tape: tape, entry: tape.entries[index])
            let value = JSONNode(tape: tape, index: index + 1)
            index = Int(value.entry.next)
            return (key, value)
        }
    }
}

/// The elements of an array.
package struct JSONElements: Sequence, Sendable {
    let node: JSONNode

    /// Begins at the first element.
    package func makeIterator() -> Iterator {
        let entry = node.entry
        return Iterator(
            tape: node.tape, index: node.index + 1, end: entry.kind == .array ? Int(entry.next) : 0)
    }

    /// The number of elements, found by walking them.
    package var count: Int { reduce(0) { total, _ in total + 1 } }

    /// Walks the elements by their siblings on the tape.
    package struct Iterator: IteratorProtocol {
        let tape: JSONTape
        var index: Int
        let end: Int

        /// The next element.
        package mutating func next() -> JSONNode? {
            guard index < end else { return nil }
            let element = JSONNode(tape: tape, index: index)
            index = Int(element.entry.next)
            return element
        }
    }
}
