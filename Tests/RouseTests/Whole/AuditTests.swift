import EventLoop
import Testing
import Wire

@testable import Rouse
@testable import Store

/// What an operator sees of a database that is changed behind the server's back.
@Suite(.wholeServer, .serialized) struct AuditTests {
    @Test func `a task that is lost shows in the metrics, and goes when its device has applied`() async throws
    {
        let whole = try WholeServer.running()
        try await whole.register("phone", of: "pia", apnsToken: "ce00000000000001")
        let device = try whole.connect("phone", of: "pia", applies: false)
        _ = try await device.waitFor(1, "AUTH_OK")
        _ = try await whole.send("lost-1", to: "pia")
        _ = try await device.waitFor(1, "ENTRY")
        try await fullRounds(2, whole)
        #expect(try await violations(whole) == 0)

        let session = try BlockingSession(database(whole), timeoutMilliseconds: 120_000)
        // Its row follows the commit by some tenths of a second.
        _ = try await Patience.until("the task's row") {
            try session.rows("delete from push_task returning 1").isEmpty ? nil : true
        }
        _ = try await Patience.until("a violation in the metrics") {
            try await violations(whole) == 1 ? true : nil
        }
        let status = try await whole.admin.json(.get, "/admin/status")["audit"]
        #expect(status?["pd1_violations"]?.integer == 1)
        #expect(status?["missing"]?.integer == 1)

        try session.run(script: "update device set applied_seq = 1")
        _ = try await Patience.until("silence") { try await violations(whole) == 0 ? true : nil }
        await device.stop()
    }

    @Test func `a token that another process takes away is followed, and the lag is gone again`() async throws
    {
        let whole = try WholeServer.running()
        try await whole.register("pad", of: "rae", apnsToken: "ce00000000000002")
        let session = try BlockingSession(database(whole), timeoutMilliseconds: 120_000)
        try session.run(
            script: """
                begin;
                delete from device_token using device d
                where d.device_key = device_token.device_key and d.device_id = 'pad';
                select append_token_digests(
                    array(select device_key from device where device_id = 'pad'), now());
                commit
                """)
        _ = try await Patience.until("a device that cannot be woken") {
            let devices = try await whole.backend.json(.get, "/v1/users/rae/devices")["devices"]
            let pad = devices?.elements.first { $0["device"]?.string == "pad" }
            return pad?["wakeable"]?.bool == false ? true : nil
        }
        _ = try await Patience.until("no lag") {
            let lag = try await metric("rouse_device_token_digest_lag_seconds", whole)
            let behind = try await metric("rouse_device_token_digest_revisions_behind", whole)
            return lag == 0 && behind == 0 ? true : nil
        }
        #expect(try await whole.send("rae-1", to: "rae")["tasks"]?.integer == 0)
        let status = try await whole.admin.json(.get, "/admin/status")["device_token_digest"]
        #expect(status?["lag_ms"]?.integer == 0)
    }

    /// Returns once so many rounds have begun and ended from now.
    private func fullRounds(_ count: Double, _ whole: WholeServer) async throws {
        let before = try await metric("rouse_pd1_audit_rounds_total", whole) ?? 0
        _ = try await Patience.until("\(count) rounds") {
            try await metric("rouse_pd1_audit_rounds_total", whole) ?? 0 >= before + count ? true : nil
        }
    }

    private func violations(_ whole: WholeServer) async throws -> Double? {
        try await metric("rouse_pd1_violations", whole)
    }

    private func metric(_ name: String, _ whole: WholeServer) async throws -> Double? {
        let text = String(decoding: try await whole.admin.call(.get, "/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    private func database(_ whole: WholeServer) -> PostgresConfiguration {
        PostgresConfiguration(
            endpoint: .socket(directory: "\(whole.directory)/run", user: "rouse", database: "postgres"))
    }
}
