import Domain
import Testing

@Suite struct PolicyTests {
    @Test func `the sender among the recipients gets the entry, no unread and no push`() {
        var stage = Stage()
        stage.register(.phone)
        let actions = stage.message(from: UserID("bob"))
        #expect(actions.tasksMade == 0)
        #expect(stage.user.head == 1)
        #expect(stage.user.badge.totalUnread == 0)
    }

    @Test func `a device without an alert-capable token is not woken, and the record says why`() {
        var stage = Stage()
        stage.register(.phone, [.apnsVoIP])
        #expect(stage.message().reasons == [.notWakeable])
    }

    @Test func `a message that wants no push makes no task and counts`() {
        var stage = Stage()
        stage.register(.phone)
        #expect(stage.message(wantsPush: false).tasksMade == 0)
        #expect(stage.user.badge.totalUnread == 1)
    }

    @Test func `a read cancels what is not yet handed over`() throws {
        var stage = Stage(mergeWindow: 5_000)
        stage.register(.phone)
        stage.message()
        stage.message(in: "c-2")
        let read = stage.user.read(ConversationID("c-1"), through: 1, by: nil, at: stage.moment)
        #expect(try read.get().ends == [.cancelled])
        stage.pass(5_000)
        #expect(stage.build(.phone).draft?.alert?.message.conversation.id == ConversationID("c-2"))
    }

    @Test func `an expired task is dropped when its turn comes`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message(expiresAt: stage.moment.wall + 1_000)
        stage.now += 1_000
        let built = stage.build(.phone)
        #expect(built.draft == nil)
        #expect(built.actions.reasons == [.expired])
    }

    @Test func `the last alert-capable token takes the open tasks with it`() {
        var stage = Stage()
        stage.register(.phone)
        stage.message()
        #expect(stage.register(.phone, []).reasons.contains(.notWakeable))
        #expect(stage.message().tasksMade == 0)
    }

    @Test func `a sign-out closes the connection and removes tokens and tasks`() {
        var stage = Stage()
        stage.register(.phone)
        stage.connect(.phone, 1)
        stage.message()
        let actions = stage.user.signedOut(.phone, .byDevice, at: stage.moment, keys: &stage.keys)
        #expect(actions.contains(.close(ConnectionID(1), .signedOut)))
        #expect(actions.reasons == [.deviceRemoved])
        #expect(stage.message().isEmpty == false)
        #expect(stage.user.device(.phone)?.hasOpenTasks == false)
    }

    @Test func `a remote logout refuses the credentials issued before it, also of a device never seen`() {
        var stage = Stage()
        stage.register(.phone)
        let before = stage.moment.wall + -1
        for device in [DeviceID.phone, .tablet] {
            _ = stage.user.signedOut(device, .remote, at: stage.moment, keys: &stage.keys)
            #expect(!stage.user.accepts(credentialIssuedAt: before, of: device))
            #expect(!stage.user.accepts(credentialIssuedAt: stage.moment.wall, of: device))
            #expect(stage.user.accepts(credentialIssuedAt: stage.moment.wall + 1, of: device))
        }
        stage.now += 10
        stage.register(.phone)
        #expect(!stage.user.accepts(credentialIssuedAt: before, of: .phone))
        #expect(stage.user.accepts(credentialIssuedAt: before, of: DeviceID("desk")))
    }

    @Test func `a sign-out by the device itself leaves its credential good`() {
        var stage = Stage()
        stage.register(.phone)
        _ = stage.user.signedOut(.phone, .byDevice, at: stage.moment, keys: &stage.keys)
        #expect(stage.user.accepts(credentialIssuedAt: stage.moment.wall, of: .phone))
    }
}
