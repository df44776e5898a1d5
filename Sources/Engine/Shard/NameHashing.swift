import Domain

// What the shards' tables are keyed by, hashed and compared field by field: what the compiler derives asks
// each field through its protocols, since a key and an identifier are generic types of another module.

extension UserName {
    package static func == (left: Self, right: Self) -> Bool {
        left.tenant.raw == right.tenant.raw && left.user == right.user
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(tenant.raw)
        user.hash(into: &hasher)
    }
}

extension MessageName {
    package static func == (left: Self, right: Self) -> Bool {
        left.tenant.raw == right.tenant.raw && left.message == right.message
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(tenant.raw)
        message.hash(into: &hasher)
    }
}

extension ChannelID {
    package static func == (left: Self, right: Self) -> Bool {
        left.tenant.raw == right.tenant.raw && left.transport.rawValue == right.transport.rawValue
            && left.environment.rawValue == right.environment.rawValue
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(tenant.raw)
        hasher.combine(transport.rawValue << 1 | environment.rawValue)
    }
}

extension ShardBatch.MaterialisedKey {
    static func == (left: Self, right: Self) -> Bool {
        left.user.raw == right.user.raw && left.message.raw == right.message.raw
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(user.raw)
        hasher.combine(message.raw)
    }
}
