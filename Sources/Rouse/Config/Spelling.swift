/// Guesses what a misspelt word was to be.
enum Spelling {
    /// The nearest of the words, if it is near: at most three letters differ.
    static func nearest(to word: String, among words: [String]) -> String? {
        let distances = words.map { (word: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= 3 else {
            return nil
        }
        return best.word
    }

    /// Letters to insert, delete or replace (Levenshtein).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (line, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, match) in other.enumerated() {
                let replaced = diagonal + (byte == match ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
