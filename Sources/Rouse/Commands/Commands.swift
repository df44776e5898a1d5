/// All commands, in the order in which `rouse help` tells them.
enum Commands {
    static let all: [Command] = [
        serve, dev, migrate, device, send, explain, simulateProviders, tenantCreate, tenantList, tenantPolicy,
        keyCreate,
        keyList,
        keyRevoke, keyClient,
    ]
}
