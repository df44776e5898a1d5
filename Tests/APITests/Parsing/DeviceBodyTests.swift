import Domain
import Engine
import Testing
import Wire

@testable import API

@Suite("Reading what devices send")
struct DeviceBodyTests {
    static let refusals: [(String, ProblemCode)] = [
        ("[]", .wrongType), (#"{"token":"x"}"#, .unknownField), (#"{"tokens":{}}"#, .wrongType),
        (#"{"tokens":[1]}"#, .wrongType), (#"{"tokens":[{}]}"#, .missingField),
        (#"{"tokens":[{"transport":"sms"}]}"#, .invalidValue),
        (#"{"tokens":[{"transport":"apns","token":"abcdefabcdefabcd","topic":"t"}]}"#, .missingField),
        (
            #"{"tokens":[{"transport":"apns","token":"xyz","topic":"t","environment":"production"}]}"#,
            .invalidValue
        ),
        (
            #"{"tokens":[{"transport":"apns","token":"abcdefabcdefabcd","topic":"t","environment":"test"}]}"#,
            .invalidValue
        ),
        (#"{"tokens":[{"transport":"fcm"}]}"#, .missingField),
        (#"{"tokens":[{"transport":"fcm","token":""}]}"#, .invalidValue),
        (#"{"tokens":[{"transport":"fcm","token":"a b"}]}"#, .invalidValue),
        (#"{"tokens":[{"transport":"fcm","token":"a","topic":"t"}]}"#, .invalidValue),
        (#"{"tokens":[{"transport":"fcm","token":"a"},{"transport":"fcm","token":"b"}]}"#, .invalidValue),
        (#"{"tokens":[{"transport":"fcm","token":"a","typo":1}]}"#, .unknownField),
        (#"{"tokens":[{"transport":"webpush","endpoint":"http://x"}]}"#, .missingField),
        (
            #"{"tokens":[{"transport":"webpush","endpoint":"https://x","p256dh":"AA","auth":"AA"}]}"#,
            .invalidValue
        ),
        (#"{"accounts":"carol"}"#, .wrongType), (#"{"accounts":[""]}"#, .invalidValue),
        (#"{"locale":"a b"}"#, .invalidValue), (#"{"app_version":3}"#, .wrongType),
    ]

    @Test(arguments: refusals)
    func `a bad registration is refused by name`(_ text: String, _ code: ProblemCode) {
        #expect {
            try RegistrationBody(parsing: Array(text.utf8))
        } throws: { error in
            (error as? Problem)?.code == code
        }
    }

    @Test func `a whole registration is read`() throws {
        let key = try ECDSAP256.PrivateKey.generate().publicKey.point
        let body = """
            {"tokens":[{"transport":"apns","token":"ABCDEFABCDEFABCD","topic":"com.example.app",
               "environment":"sandbox"},
              {"transport":"fcm","token":"f:x"},
              {"transport":"webpush","endpoint":"https://push.example.com/1",
               "p256dh":"\(Base64URL.encode(key))",
               "auth":"\(Base64URL.encode(Array(repeating: 7, count: 16)))"}],
             "accounts":["carol"],"locale":"zh-Hans","time_zone":"Asia/Shanghai","app_version":"3.2.1"}
            """
        let read = try RegistrationBody(parsing: Array(body.utf8))
        #expect(read.tokens.map(\.transport) == [.apns, .fcm, .webPush])
        guard case .apns(let hex, _, let environment) = read.tokens[0] else { return #expect(Bool(false)) }
        #expect(hex == "abcdefabcdefabcd" && environment == .sandbox)
        #expect(read.accounts == [UserID("carol")] && read.timeZone == "Asia/Shanghai")
    }

    @Test func `an empty registration removes every transport`() throws {
        #expect(try RegistrationBody(parsing: Array("{}".utf8)).tokens.isEmpty)
    }

    static let reads: [(String, ProblemCode?)] = [
        (#"{"all":true}"#, nil), (#"{"conversation_id":"c","mailbox_seq":3}"#, nil),
        (#"{"conversation_id":"c","message_id":"m"}"#, nil), ("{}", .missingField),
        (#"{"conversation_id":"c"}"#, .missingField), (#"{"mailbox_seq":3}"#, .missingField),
        (#"{"conversation_id":"c","mailbox_seq":3,"message_id":"m"}"#, .invalidValue),
        (#"{"all":true,"conversation_id":"c"}"#, .invalidValue),
        (#"{"conversation_id":"c","mailbox_seq":-1}"#, .invalidValue),
        (#"{"conversation_id":"c","mailbox_seq":3,"device":"d"}"#, .unknownField),
    ]

    @Test(arguments: reads)
    func `a read names a conversation and a place, or all`(_ text: String, _ code: ProblemCode?) {
        do throws(Problem) {
            _ = try ReadBody(parsing: Array(text.utf8), mayNameDevice: false)
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
        }
    }
}
