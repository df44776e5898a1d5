/// The bodies of the public listener. A request's schema is closed: an unknown field is refused.
enum PublicSchemas {
    static let all: [OpenAPISchemas.Schema] = [
        .init(
            name: "Message",
            json: #"""
                {"type":"object","additionalProperties":false,
                 "required":["message_id","conversation","sender","recipients"],
                 "properties":{
                  "message_id":{"$ref":"#/components/schemas/ID"},
                  "conversation":{"type":"object","additionalProperties":false,"required":["id","kind"],
                   "properties":{"id":{"$ref":"#/components/schemas/ID"},"kind":{"enum":["direct","group"]},
                    "name":{"type":["string","null"],"maxLength":1024},
                    "member_count":{"type":["integer","null"],"minimum":0,"maximum":10000000},
                    "e2ee":{"type":["boolean","null"]}}},
                  "sender":{"type":"object","additionalProperties":false,"required":["user"],
                   "properties":{"user":{"$ref":"#/components/schemas/ID"},
                    "name":{"type":["string","null"],"maxLength":1024},
                    "device":{"$ref":"#/components/schemas/ID"}}},
                  "recipients":{"type":"array","minItems":1,"maxItems":10000,
                   "items":{"$ref":"#/components/schemas/ID"}},
                  "mentions":{"type":["object","null"],"additionalProperties":false,
                   "properties":{"users":{"type":"array","items":{"$ref":"#/components/schemas/ID"}},
                    "all":{"type":"boolean"}}},
                  "notification":{"$ref":"#/components/schemas/Notification"},
                  "payload":{"description":"Any JSON up to 64 KiB."},
                  "counts_unread":{"type":["boolean","null"],"default":true},
                  "push":{"type":["boolean","null"],"default":true},
                  "expires_in_s":{"type":["integer","null"],"minimum":1,"maximum":2419200},
                  "sent_at":{"type":["string","null"],"format":"date-time"}}}
                """#),
        .init(name: "ID", json: #"{"type":"string","minLength":1,"maxLength":128}"#),
        .init(
            name: "Notification",
            json: #"""
                {"type":["object","null"],"additionalProperties":false,
                 "properties":{"title":{"type":"string"},"body":{"type":"string"},
                  "title_loc_key":{"type":"string"},
                  "title_loc_args":{"type":"array","items":{"type":"string"}},
                  "body_loc_key":{"type":"string"},
                  "body_loc_args":{"type":"array","items":{"type":"string"}},
                  "sound":{"type":["string","null"]},"category":{"type":"string"},
                  "image_url":{"type":"string","format":"uri","pattern":"^[hH][tT][tT][pP][sS]://"},
                  "wake":{"type":"boolean"},"data":{"type":"object"}}}
                """#),
        .init(
            name: "Accepted",
            json: #"""
                {"type":"object","required":["message_id","duplicate","recipients","tasks"],
                 "properties":{"message_id":{"type":"string"},"duplicate":{"type":"boolean"},
                  "recipients":{"type":"integer"},"tasks":{"type":"integer"}}}
                """#),
        .init(
            name: "AcceptedLines",
            json: #"""
                {"description":"One line for each line sent, in order.","type":"object",
                 "required":["message_id","status"],
                 "properties":{"message_id":{"type":["string","null"]},"status":{"type":"integer"},
                  "duplicate":{"type":"boolean"},"recipients":{"type":"integer"},"tasks":{"type":"integer"},
                  "code":{"type":"string"},"detail":{"type":"string"},"retryable":{"type":"boolean"}}}
                """#),
        .init(
            name: "Read",
            json: #"""
                {"type":"object","additionalProperties":false,
                 "properties":{"conversation_id":{"$ref":"#/components/schemas/ID"},
                  "message_id":{"$ref":"#/components/schemas/ID"},
                  "mailbox_seq":{"type":"integer","minimum":0},
                  "all":{"type":"boolean"}}}
                """#),
        .init(
            name: "BackendRead",
            json: #"""
                {"type":"object","additionalProperties":false,
                 "properties":{"conversation_id":{"$ref":"#/components/schemas/ID"},
                  "message_id":{"$ref":"#/components/schemas/ID"},
                  "mailbox_seq":{"type":"integer","minimum":0},
                  "all":{"type":"boolean"},"device":{"$ref":"#/components/schemas/ID"}}}
                """#),
        .init(
            name: "Applied",
            json: #"""
                {"type":"object","additionalProperties":false,"required":["mailbox_seq"],
                 "properties":{"mailbox_seq":{"type":"integer","minimum":0}}}
                """#),
        .init(
            name: "UserBadgeState",
            json: #"""
                {"type":"object",
                 "required":["total_unread","total_mention","muted_unread","badge_projection_mailbox_seq"],
                 "properties":{"total_unread":{"type":"integer"},"total_mention":{"type":"integer"},
                  "muted_unread":{"type":"integer"},"badge_projection_mailbox_seq":{"type":"integer"}}}
                """#),
        .init(
            name: "Conversations",
            json: #"""
                {"type":"object","required":["conversations","next"],
                 "properties":{"conversations":{"type":"array",
                   "items":{"$ref":"#/components/schemas/Conversation"}},
                  "next":{"type":["string","null"]}}}
                """#),
        .init(
            name: "Conversation",
            json: #"""
                {"type":"object",
                 "required":["conversation_id","unread","mentions","muted","muted_until","read_mailbox_seq",
                  "last_mailbox_seq"],
                 "properties":{"conversation_id":{"type":"string"},"unread":{"type":"integer"},
                  "mentions":{"type":"integer"},"muted":{"type":"boolean"},
                  "muted_until":{"type":["string","null"]},"read_mailbox_seq":{"type":"integer"},
                  "last_mailbox_seq":{"type":"integer"}}}
                """#),
        .init(
            name: "ConversationSettings",
            json: #"""
                {"type":"object","additionalProperties":false,"required":["muted"],
                 "properties":{"muted":{"type":"boolean"},
                  "muted_until":{"type":["string","null"],"format":"date-time"}}}
                """#),
        .init(
            name: "UserSettings",
            json: #"""
                {"type":"object","additionalProperties":false,
                 "properties":{"quiet_hours":{"type":["object","null"],"additionalProperties":false,
                   "required":["start","end"],
                   "properties":{"start":{"type":"string","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$"},
                    "end":{"type":"string","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$"}}},
                  "time_zone":{"type":["string","null"],"maxLength":64},
                  "locale":{"type":["string","null"],"maxLength":64}}}
                """#),
        .init(
            name: "Devices",
            json: #"""
                {"type":"object","required":["devices"],
                 "properties":{"devices":{"type":"array","items":{"type":"object",
                   "required":["device","online","connected_at","connection","node","pushed_seq",
                    "wakeable","transports","applied_seq",
                    "locale","time_zone","app_version","registered_at","last_seen"],
                   "properties":{"device":{"type":"string"},"online":{"type":"boolean"},
                    "connected_at":{"type":["string","null"]},"connection":{"type":["string","null"]},
                    "node":{"type":["string","null"]},"pushed_seq":{"type":["integer","null"]},
                    "wakeable":{"type":"boolean"},
                    "transports":{"type":"array","items":{"type":"string"}},"applied_seq":{"type":"integer"},
                    "locale":{"type":["string","null"]},"time_zone":{"type":["string","null"]},
                    "app_version":{"type":["string","null"]},"registered_at":{"type":["string","null"]},
                    "last_seen":{"type":["string","null"]}}}}}}
                """#),
        .init(
            name: "Registration",
            json: #"""
                {"type":"object","additionalProperties":false,
                 "properties":{"tokens":{"type":["array","null"],"items":{"type":"object",
                   "additionalProperties":false,"required":["transport"],
                   "properties":{"transport":{"enum":["apns","apns_voip","fcm","webpush"]},
                    "token":{"type":"string"},"topic":{"type":"string"},
                    "environment":{"enum":["production","sandbox"]},"endpoint":{"type":"string"},
                    "p256dh":{"type":"string"},"auth":{"type":"string"}}}},
                  "accounts":{"type":["array","null"],"items":{"$ref":"#/components/schemas/ID"}},
                  "locale":{"type":["string","null"]},"time_zone":{"type":["string","null"]},
                  "app_version":{"type":["string","null"]}}}
                """#),
        .init(
            name: "Registered",
            json: #"""
                {"type":"object","required":["device","wakeable","transports"],
                 "properties":{"device":{"type":"string"},"wakeable":{"type":"boolean"},
                  "transports":{"type":"array","items":{"type":"string"}}}}
                """#),
        .init(
            name: "MailboxPage",
            json: #"""
                {"type":"object",
                 "required":["mailbox_id","entries","mailbox_seq","first_mailbox_seq","has_more","truncated",
                  "badge"],
                 "properties":{"mailbox_id":{"type":"string"},
                  "entries":{"type":"array","items":{"$ref":"#/components/schemas/Entry"}},
                  "mailbox_seq":{"type":"integer"},"first_mailbox_seq":{"type":"integer"},
                  "has_more":{"type":"boolean"},"truncated":{"type":"boolean"},
                  "badge":{"$ref":"#/components/schemas/UserBadgeState"}}}
                """#),
        .init(
            name: "Entry",
            json: #"""
                {"type":"object","required":["type","kind","mailbox_seq","conversation_id"],
                 "properties":{"type":{"const":"ENTRY"},
                  "kind":{"enum":["message","read","recall","settings"]},
                  "mailbox_seq":{"type":"integer"},"conversation_id":{"type":"string"},
                  "message_id":{"type":"string"},"sender":{"type":"string"},
                  "mention_type":{"enum":["none","user","all"]},"counts_unread":{"type":"boolean"},
                  "sent_at":{"type":"string"},"notification":{"type":"object"},"payload":{},
                  "read_mailbox_seq":{"type":"integer"},"device":{"type":["string","null"]},
                  "muted":{"type":"boolean"},"muted_until":{"type":["string","null"]}}}
                """#),
        .init(
            name: "Recalled",
            json: #"""
                {"type":"object","required":["message_id","recalled"],
                 "properties":{"message_id":{"type":"string"},
                  "recalled":{"type":"boolean",
                   "description":"Whether the message was known; its id stays recalled in any case."}}}
                """#),
        .init(
            name: "Explanation",
            json: #"""
                {"type":"object",
                 "required":["message_id","user","mailbox_seq","materialised_at","mention_type","own_message",
                  "push","devices"],
                 "properties":{"message_id":{"type":"string"},"user":{"type":"string"},
                  "mailbox_seq":{"type":["integer","null"]},"materialised_at":{"type":["string","null"]},
                  "mention_type":{"enum":["none","user","all"]},"own_message":{"type":"boolean"},
                  "push":{"type":"boolean"},
                  "devices":{"type":"array","items":{"type":"object",
                   "required":["device","state","reason","trace"],
                   "properties":{"device":{"type":"string"},"state":{"type":"string"},
                    "reason":{"type":"string"},"trace":{"type":"array","items":{"type":"object"}}}}}}}
                """#),
        .init(
            name: "Problem",
            json: #"""
                {"type":"object","required":["type","title","status","detail","code"],
                 "properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},
                  "detail":{"type":"string"},"code":{"type":"string"}}}
                """#),
        .init(
            name: "Health",
            json: #"{"type":"object","required":["status"],"properties":{"status":{"const":"ok"}}}"#),
        .init(
            name: "Readiness",
            json: #"""
                {"type":"object","required":["ready","missing"],
                 "properties":{"ready":{"type":"boolean"},
                  "missing":{"type":"array","items":{"type":"string"}}}}
                """#),
        .init(name: "OpenAPI", json: #"{"type":"object","required":["openapi","info","paths"]}"#),
    ]
}
