import EventLoop

/// `POST /v1/messages` with one message, or with so many lines, whose numbers are written in place:
/// a request costs the generator a copy, not an encoding. The payload tells the devices that get it
/// when it was sent, by the machine's boot clock.
struct RequestTemplate: Sendable {
    enum Conversations: Sendable {
        /// One per user, as chats are.
        case perUser
        /// One per message, so that no two messages can become one push.
        case perMessage
    }

    private struct Place {
        let messageID: Int
        /// Of the first recipient; the others follow at even distances.
        let user: Int
        let conversation: Int
        let sentAt: Int
    }

    private let template: [UInt8]
    private let places: [Place]
    private let conversations: Conversations
    private let recipients: Int
    private static let zeros = String(repeating: "0", count: Digits.messageWidth)

    /// - Parameters:
    ///   - lines: nil for a single message as JSON.
    ///   - recipients: of each message; users with numbers in a row, and "per user" is then per such group.
    init(apiKey: String, host: String, lines: Int?, recipients: Int = 1, conversations: Conversations) {
        self.recipients = recipients
        let (line, place) = Self.line(recipients)
        let body = lines.map { Array(repeating: line + [0x0a], count: $0).flatMap { $0 } } ?? line
        let type = lines == nil ? "application/json" : "application/x-ndjson"
        let head = Array(
            """
            POST /v1/messages HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(apiKey)\r\n\
            Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n
            """.utf8)
        template = head + body
        places = (0..<(lines ?? 1)).map { index in
            let start = head.count + index * (line.count + 1)
            return Place(
                messageID: start + place.messageID, user: start + place.user,
                conversation: start + place.conversation, sentAt: start + place.sentAt)
        }
        self.conversations = conversations
    }

    var messagesPerRequest: Int { places.count }
    var byteCount: Int { template.count }

    static func messageID(_ number: Int) -> String { "m-" + Digits.text(number, width: Digits.messageWidth) }

    /// A request with the messages `first`, `first + 1`, … for the users, or groups, that `user` names.
    func request(first: Int, user: (Int) -> Int) -> [UInt8] {
        var bytes = template
        let sentAt = Int(MonotonicClock.now())
        for (index, place) in places.enumerated() {
            let number = first + index
            let user = user(number)
            let conversation = conversations == .perUser ? user : number
            Digits.write(number, width: Digits.messageWidth, at: place.messageID, into: &bytes)
            for recipient in 0..<recipients {
                Digits.write(
                    user * recipients + recipient, width: Digits.userWidth,
                    at: place.user + recipient * Self.recipientWidth, into: &bytes)
            }
            Digits.write(conversation, width: Digits.messageWidth, at: place.conversation, into: &bytes)
            Digits.write(sentAt, width: Digits.timeWidth, at: place.sentAt, into: &bytes)
        }
        return bytes
    }

    /// `u-000000`, quoted, and a comma.
    private static let recipientWidth = Digits.userWidth + 5

    /// A message of about 400 bytes to one recipient, and where its numbers stand.
    private static func line(_ recipients: Int) -> (bytes: [UInt8], place: Place) {
        var bytes = Array(#"{"message_id":"m-"#.utf8)
        let messageID = bytes.count
        bytes += Array((zeros + #"","conversation":{"id":"c-"#).utf8)
        let conversation = bytes.count
        let kind = recipients == 1 ? "direct" : "group"
        bytes += Array(
            (zeros + #"","kind":"\#(kind)"},"sender":{"user":"alice","name":"Alice","device":"a-phone"},"#
                + #""recipients":["u-"#).utf8)
        let user = bytes.count
        let nobody = String(repeating: "0", count: Digits.userWidth)
        let others = String(repeating: #"","u-\#(nobody)"#, count: recipients - 1)
        bytes += Array(
            (nobody + others
                + #""],"notification":{"title":"Alice","body":"See you at eight, at the usual place?","#
                + #""sound":"default","category":"MSG"},"payload":{"text":"See you at eight, at the usual "#
                + #"place?","format":"plain","client_time":""#).utf8)
        let sentAt = bytes.count
        bytes += Array(
            (String(repeating: "0", count: Digits.timeWidth) + #""},"expires_in_s":86400}"#).utf8)
        let place = Place(messageID: messageID, user: user, conversation: conversation, sentAt: sentAt)
        return (bytes, place)
    }
}
