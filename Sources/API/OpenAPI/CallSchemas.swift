/// The bodies of `/v1/calls`.
enum CallSchemas {
    static let all: [OpenAPISchemas.Schema] = [
        .init(
            name: "Call",
            json: #"""
                {"type":"object","additionalProperties":false,
                 "required":["call_id","caller","callees","video"],
                 "properties":{
                  "call_id":{"$ref":"#/components/schemas/ID"},
                  "caller":{"type":"object","additionalProperties":false,"required":["user"],
                   "properties":{"user":{"$ref":"#/components/schemas/ID"},
                    "name":{"type":["string","null"],"maxLength":1024}}},
                  "callees":{"type":"array","minItems":1,"maxItems":1000,
                   "items":{"$ref":"#/components/schemas/ID"}},
                  "video":{"type":"boolean"},
                  "conversation_id":{"type":["string","null"],"minLength":1,"maxLength":128},
                  "data":{"type":["object","null"],"description":"Up to 2,048 bytes."},
                  "ttl_s":{"type":["integer","null"],"minimum":1,"maximum":600,"default":30}}}
                """#),
        .init(
            name: "Ringing",
            json: #"""
                {"type":"object","required":["call_id","duplicate","devices"],
                 "properties":{"call_id":{"type":"string"},"duplicate":{"type":"boolean"},
                  "devices":{"type":"integer"}}}
                """#),
        .init(
            name: "CallCancel",
            json: #"""
                {"type":"object","additionalProperties":false,
                 "properties":{"reason":{"type":["string","null"],"maxLength":128},
                  "callee":{"type":["string","null"],"minLength":1,"maxLength":128}}}
                """#),
        .init(
            name: "CallCancelled",
            json: #"""
                {"type":"object","required":["call_id"],"properties":{"call_id":{"type":"string"}}}
                """#),
        .init(
            name: "CallState",
            json: #"""
                {"type":"object",
                 "required":["call_id","caller","video","expires_at","state","reason","answered_by"],
                 "properties":{"call_id":{"type":"string"},
                  "caller":{"type":"object","required":["user","name"],
                   "properties":{"user":{"type":"string"},"name":{"type":["string","null"]}}},
                  "video":{"type":"boolean"},"conversation_id":{"type":"string"},
                  "data":{"type":"object"},"expires_at":{"type":"string"},
                  "state":{"enum":["ringing","answered","cancelled","expired"]},
                  "reason":{"type":"string"},"answered_by":{"type":["string","null"]}}}
                """#),
    ]
}
