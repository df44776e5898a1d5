import EventLoop
import Telemetry
import Wire

/// The log of a server: JSON lines to a terminal's error output.
enum LogLines {
    static func logger(_ terminal: Terminal, level: LogLevel = .info) -> Logger {
        Logger(
            level: level, timestamp: { Timestamp.text(millisecondsSince1970: WallClock.now()) },
            sink: { line in
                let text = line.last == 0x0A ? line.dropLast() : line[...]
                terminal.err(String(decoding: text, as: UTF8.self))
            })
    }
}
