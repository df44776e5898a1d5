import EventLoop
import Glibc
import Wire

/// The simulated providers as a child of the run.
struct ProviderProcess: ProviderControl {
    let child: Child
    /// `https://127.0.0.1:PORT`
    let url: String
    let control: SocketAddress
    /// A file with the certificate authority to trust.
    let authorityFile: String
    let loop: EventLoop

    var pushURL: String? { url }

    /// - Parameter keep: how many pushes are kept for `pushes`.
    static func start(in directory: String, keep: Int, strict: Bool, on loop: EventLoop)
        async throws(LoadtestFailure) -> ProviderProcess
    {
        let ready = "\(directory)/provider.json"
        let child = try Child(
            "the providers",
            [
                "/proc/self/exe", "provider", "--ready", ready, "--keep", "\(keep)", "--strict",
                strict ? "1" : "0",
            ],
            output: "\(directory)/provider.log")
        for _ in 0..<1_000 {
            if let bytes = LocalFiles.read(ready), let root = (try? JSONDocument(parsing: bytes))?.root,
                let url = root["url"]?.string, let authority = root["ca"]?.string,
                let control = root["control"]?.string.flatMap({ SocketAddress(parsing: $0) })
            {
                let file = "\(directory)/provider-ca.pem"
                try LocalFiles.write(Array(authority.utf8), to: file)
                return ProviderProcess(
                    child: child, url: url, control: control, authorityFile: file, loop: loop)
            }
            if child.ending != nil { break }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw LoadtestFailure("the simulated providers do not start")
    }
}
