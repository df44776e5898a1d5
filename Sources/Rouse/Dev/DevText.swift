/// What `rouse dev` prints when all is up: where things are, and what to try.
enum DevText {
    static func text(_ dev: DevServer, program: String) -> String {
        let client = dev.client
        let server = client.server ?? ""
        let option = dev.clientFilePath == ClientFile.standardPath ? "" : " --client \(dev.clientFilePath)"
        let user = DemoTenant.user
        return """

            Rouse runs.

              backends and devices   \(server)
              operators              \(client.admin ?? "")   (token in \(client.adminTokenFile ?? ""))
              simulated providers    \(client.simulator ?? "")/pushes
              tenant \(DemoTenant.name): API key    \(client.apiKey ?? "")
              tenant \(DemoTenant.name): client key in \(dev.clientFilePath)

            \(user)'s tablet is registered and offline. In a second terminal, be \(user)'s phone:

              \(program) device\(option) --user \(user) --device phone --apns-token f0e1d20000000001

            In a third, send, and ask what became of it:

              \(program) send\(option) --to \(user) --id m-1 "See you at 8"
              \(program) explain\(option) --message m-1 --user \(user)
              curl -s \(server)/v1/messages -H 'Authorization: Bearer \(client.apiKey ?? "")' \\
                -H 'Content-Type: application/json' -d '{"message_id": "m-2", "conversation": {"id": "c-1",
                "kind": "direct"}, "sender": {"user": "alice"}, "recipients": ["\(user)"]}'

            The phone gets the entry and no push; the tablet's push shows here. Pushes of this tenant do
            not wait to be merged (push_merge_window_ms=0). Ctrl-C stops all of it.

            """
    }
}
