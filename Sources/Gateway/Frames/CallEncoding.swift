package import Domain
package import Wire

extension JSONWriter {
    /// The members that a call has in the CALL frame and in the answer to a device, into an open object.
    package mutating func call(_ call: Call) {
        member("call_id", call.id.text)
        key("caller")
        beginObject()
        member("user", call.caller.user.text)
        key("name")
        if let name = call.caller.name { string(name) } else { null() }
        endObject()
        member("video", call.isVideo)
        member("conversation_id", ifPresent: call.conversation?.text)
        if !call.data.isEmpty { member("data", raw: call.data) }
        key("expires_at")
        time(call.expiresAt)
    }
}
