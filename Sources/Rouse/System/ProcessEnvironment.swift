import Glibc

/// The environment variables of this process.
enum ProcessEnvironment {
    static let variables: [String: String] = {
        var variables: [String: String] = [:]
        var place = unsafe environ
        while let entry = unsafe place.pointee {
            let text = unsafe String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            unsafe place += 1
        }
        return variables
    }()
}
