/// The bodies of the admin listener.
enum AdminSchemas {
    static let all: [OpenAPISchemas.Schema] = [
        .init(
            name: "NewTenant",
            json: #"""
                {"type":"object","additionalProperties":false,"required":["tenant"],
                 "properties":{"tenant":{"type":"string","pattern":"^[a-z0-9][a-z0-9-]{0,62}$"},
                  "policy":{"type":["object","null"]},"paused":{"type":["boolean","null"]},
                  "mode":{"enum":["live",null]}}}
                """#),
        .init(
            name: "TenantChange",
            json: #"""
                {"type":"object","additionalProperties":false,
                 "properties":{"policy":{"type":["object","null"]},"paused":{"type":["boolean","null"]},
                  "mode":{"enum":["live",null]}}}
                """#),
        .init(
            name: "Tenant",
            json: #"""
                {"type":"object","required":["tenant","policy","paused","mode","created_at"],
                 "properties":{"tenant":{"type":"string"},"policy":{"type":"object"},
                  "paused":{"type":"boolean"},"mode":{"enum":["live","shadow"]},
                  "created_at":{"type":"string"}}}
                """#),
        .init(
            name: "Tenants",
            json: #"""
                {"type":"object","required":["tenants"],
                 "properties":{"tenants":{"type":"array","items":{"$ref":"#/components/schemas/Tenant"}}}}
                """#),
        .init(
            name: "NewAPIKey",
            json: #"""
                {"type":"object","additionalProperties":false,"required":["name"],
                 "properties":{"name":{"type":"string","minLength":1,"maxLength":256}}}
                """#),
        .init(
            name: "MadeAPIKey",
            json: #"""
                {"type":"object","required":["key","prefix","name","created_at"],
                 "properties":{"key":{"type":"string"},"prefix":{"type":"string"},"name":{"type":"string"},
                  "created_at":{"type":"string"}}}
                """#),
        .init(
            name: "APIKeys",
            json: #"""
                {"type":"object","required":["api_keys"],
                 "properties":{"api_keys":{"type":"array","items":{"type":"object",
                  "required":["prefix","name","created_at"],
                  "properties":{"prefix":{"type":"string"},"name":{"type":"string"},
                   "created_at":{"type":"string"}}}}}}
                """#),
        .init(
            name: "ClientKeys",
            json: #"""
                {"type":"object","additionalProperties":false,"required":["keys"],
                 "properties":{"keys":{"type":"array","maxItems":16,"items":{"type":"object",
                  "additionalProperties":false,"required":["kid","alg"],
                  "properties":{"kid":{"$ref":"#/components/schemas/ID"},"alg":{"enum":["HS256","ES256"]},
                   "secret":{"type":"string"},"public_key":{"type":"string"}}}}}}
                """#),
        .init(
            name: "ClientKeyList",
            json: #"""
                {"type":"object","required":["keys"],
                 "properties":{"keys":{"type":"array","items":{"type":"object","required":["kid","alg"],
                  "properties":{"kid":{"type":"string"},"alg":{"type":"string"}}}}}}
                """#),
        .init(
            name: "ProviderCredential",
            json: #"""
                {"type":"object",
                 "description":"apns: team_id, key_id, private_key, topics; fcm: service_account."}
                """#),
        .init(
            name: "Provider",
            json: #"""
                {"type":"object","required":["provider","created_at","credential","channels"],
                 "properties":{"provider":{"type":"string"},"created_at":{"type":"string"},
                  "credential":{"type":"object"},
                  "channels":{"type":"array","items":{"$ref":"#/components/schemas/Channel"}}}}
                """#),
        .init(
            name: "Channel",
            json: #"""
                {"type":"object",
                 "required":["transport","environment","queued","in_flight","window_per_shard","halted",
                  "reason"],
                 "properties":{"tenant":{"type":"string"},"transport":{"type":"string"},
                  "environment":{"type":"string"},"queued":{"type":"integer"},"in_flight":{"type":"integer"},
                  "window_per_shard":{"type":"integer"},"halted":{"type":"boolean"},
                  "reason":{"type":"string"}}}
                """#),
        .init(
            name: "Status",
            json: #"""
                {"type":"object",
                 "required":["tasks","oldest_due_ms","connections","presence","inbox_depth",
                  "read_back_remaining","lease","disabled_rules","audit","device_token_digest",
                  "channels","shards"],
                 "properties":{"tasks":{"type":"object"},"oldest_due_ms":{"type":"integer"},
                  "connections":{"type":"integer"},
                  "presence":{"type":"object","required":["node","connections","catching_up",
                    "pushed_not_applied"],
                   "properties":{"node":{"type":"string"},"connections":{"type":"integer"},
                    "catching_up":{"type":"integer"},"pushed_not_applied":{"type":"integer"}}},
                  "disabled_rules":{"type":"array","items":{"type":"string"}},
                  "audit":{"type":"object","required":["pd1_violations","missing","forgotten","stuck",
                    "rounds","entries","tasks","last_round_entries"],
                   "properties":{"pd1_violations":{"type":"integer"},"missing":{"type":"integer"},
                    "forgotten":{"type":"integer"},"stuck":{"type":"integer"},
                    "rounds":{"type":"integer"},"entries":{"type":"integer"},"tasks":{"type":"integer"},
                    "last_round_entries":{"type":"integer"},"last_round_age_ms":{"type":"integer"},
                    "last_round_ms":{"type":"integer"}}},
                  "device_token_digest":{"type":"object","required":["lag_ms","revisions_behind"],
                   "properties":{"lag_ms":{"type":"integer"},"revisions_behind":{"type":"integer"}}},
                  "inbox_depth":{"type":"integer"},
                  "read_back_remaining":{"type":"integer"},"lease":{"type":"object"},
                  "channels":{"type":"array","items":{"$ref":"#/components/schemas/Channel"}},
                  "shards":{"type":"array","items":{"type":"object"}}}}
                """#),
        .init(name: "Metrics", json: #"{"type":"string"}"#),
    ]
}
