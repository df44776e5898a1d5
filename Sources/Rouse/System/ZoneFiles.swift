import Engine

/// The machine's IANA database of time zones (Debian: package tzdata), read file by file as zones are named.
enum ZoneFiles {
    /// Where systems keep it.
    static let directories = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]

    static let zones = TimeZones { name in
        for directory in directories {
            if let bytes = try? LocalFile.read("\(directory)/\(name)") { return bytes }
        }
        return nil
    }

    /// Nil: the database is there. Without it every zone but UTC is unknown.
    static var missing: String? {
        guard zones["Europe/London"] == nil else { return nil }
        return
            "the time zone database is not in \(directories.joined(separator: ", ")) (Debian: package tzdata)"
    }
}
