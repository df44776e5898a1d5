import Glibc

/// A thread of one's own, for a child's parent: the kernel ties "my parent died" to
/// the thread that spawned it, and a pool's worker ends when it is idle.
enum DedicatedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(run))
        let code = unsafe pthread_create(
            &thread, nil,
            { raw in
                if let raw = unsafe raw { unsafe Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        precondition(code == 0, "no thread could be started (\(code))")
        pthread_detach(thread)
    }
}
