/// The newest row of each name, by the generation that it came with: it leaves with that one, and no former
/// row of its name ever leaves.
struct LatestRows<Name: Hashable, Row> {
    private var rows: [Name: (row: Row, generation: Int)] = [:]
    /// What came with each generation, the oldest first; some of it may be newer by now, or gone.
    private var names: [(generation: Int, names: [Name])] = []

    subscript(_ name: Name) -> Row? { rows[name]?.row }

    mutating func put(_ row: Row, of name: Name, in generation: Int) {
        if let former = rows.updateValue((row, generation), forKey: name), former.generation == generation {
            return
        }
        if names.last?.generation != generation { names.append((generation, [])) }
        names[names.count - 1].names.append(name)
    }

    /// Whether there was one.
    @discardableResult
    mutating func remove(_ name: Name) -> Bool {
        // Looked up for each task that ends: often there is nothing to be looked up in.
        !rows.isEmpty && rows.removeValue(forKey: name) != nil
    }

    /// The rows of all generations through this one.
    mutating func take(through generation: Int) -> [Row] {
        var taken: [Row] = []
        let count = names.prefix { $0.generation <= generation }.count
        for (generation, names) in names.prefix(count) {
            for name in names where rows[name]?.generation == generation {
                if let (row, _) = rows.removeValue(forKey: name) { taken.append(row) }
            }
        }
        names.removeFirst(count)
        return taken
    }
}
