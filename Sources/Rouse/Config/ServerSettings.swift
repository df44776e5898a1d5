/// The config of a command that runs a server or its database: file and environment.
enum ServerSettings {
    static func config(
        _ arguments: Arguments, _ terminal: Terminal,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> Config {
        let path = arguments["config"] ?? environment["ROUSE_CONFIG"]
        var file: (name: String, bytes: [UInt8])?
        if let path { file = (path, try LocalFile.read(path)) }
        let reader = ConfigReader(file: file, environment: environment)
        let config = try reader.read()
        for name in reader.unknownVariables {
            terminal.err("rouse: \(name) is no key of the config and is left alone")
        }
        return config
    }
}
