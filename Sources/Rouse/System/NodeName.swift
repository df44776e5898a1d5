import Glibc

/// How this process is called among those that may own the data: its host and its process id.
enum NodeName {
    static let current = "\(hostName):\(getpid())"

    private static var hostName: String {
        let bytes = (try? LocalFile.read("/proc/sys/kernel/hostname")) ?? []
        let name = String(decoding: bytes, as: UTF8.self)
        return name.split(separator: "\n").first.map(String.init) ?? "localhost"
    }
}
