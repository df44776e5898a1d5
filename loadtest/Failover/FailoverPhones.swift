import EventLoop
import Synchronization

/// The connected devices of a run: they go to whichever server takes them.
struct FailoverPhones: Sendable {
    /// A server that is paused answers nothing: a device gives up after so long.
    private static let connectMilliseconds = 3_000
    private static let returnMilliseconds = 400
    private static let lateMilliseconds = 1_500

    let fleet: DeviceFleet
    let notes: PhoneNotes
    /// The user of each device.
    let users: [Int]

    static func connect(
        _ tenant: LoadTenant, users: Int, to addresses: [SocketAddress]
    ) async throws -> FailoverPhones {
        let notes = PhoneNotes()
        var settings = FleetSettings(keepsEntries: true)
        settings.movesOn = true
        settings.connectMilliseconds = connectMilliseconds
        let fleet = DeviceFleet(to: addresses, settings: settings) { notes.note($0) }
        let owners = (0..<users).filter { PhoneEvidence.Manner.of(user: $0) != nil }
        await fleet.add(
            owners.map { user in
                var profile = DeviceProfile { try tenant.credential(of: user, device: LoadTenant.phone) }
                profile.returnsWithinMilliseconds = returnMilliseconds
                switch PhoneEvidence.Manner.of(user: user) {
                case .silent: profile.applying = .never
                case .late: profile.applying = .after(milliseconds: lateMilliseconds)
                default: profile.applying = .atOnce
                }
                return profile
            })
        let phones = FailoverPhones(fleet: fleet, notes: notes, users: owners)
        fleet.connect()
        return phones
    }

    /// Waits until all are online.
    func areOnline(withinMilliseconds limit: Int) async -> Bool {
        let count = users.count
        return await fleet.waits(withinMilliseconds: limit) { $0.online == count }
    }

    /// When each message was received first by its silent phone, in milliseconds since 1970.
    func receipts() async -> [String: Int64] {
        let origin = WallClock.now() - Int64((MonotonicClock.now() - fleet.origin) / 1_000_000)
        var receipts: [String: Int64] = [:]
        for (user, phone) in zip(users, await fleet.observations)
        where PhoneEvidence.Manner.of(user: user) == .silent {
            for entry in phone.seen where entry.message >= 0 {
                receipts[RequestTemplate.messageID(Int(entry.message))] = origin + Int64(entry.receivedAt)
            }
        }
        return receipts
    }

    /// What each phone knows of itself, to be completed with its mailbox and its pushes.
    func evidence() async -> [PhoneEvidence] {
        zip(users, await fleet.observations).compactMap { user, seen in
            guard let manner = PhoneEvidence.Manner.of(user: user) else { return nil }
            var phone = PhoneEvidence(user: LoadTenant.user(user), manner: manner)
            phone.appliedSeq = seen.appliedSeq
            phone.lastSeq = seen.lastSeq
            phone.disorder = seen.violations
            return phone
        }
    }
}

/// Devices that come to a paused owner: its kernel takes their connections, nobody answers.
struct LateComers: Sendable {
    private static let patienceMilliseconds = 60_000
    /// No registered device of anybody.
    private static let device = "late"

    let fleet: DeviceFleet
    let notes: PhoneNotes

    static func connect(_ tenant: LoadTenant, users: Int, to address: SocketAddress) async -> LateComers {
        let notes = PhoneNotes()
        var settings = FleetSettings()
        settings.connectMilliseconds = patienceMilliseconds
        let fleet = DeviceFleet(to: [address], loops: 1, settings: settings) { notes.note($0) }
        await fleet.add(
            (0..<users).map { user in
                DeviceProfile { try tenant.credential(of: user, device: device) }
            })
        fleet.connect()
        return LateComers(fleet: fleet, notes: notes)
    }
}

/// What devices noticed, in order, and who is online by it.
final class PhoneNotes: Sendable {
    private struct Kept {
        var online: Set<Int> = []
        var notes: [PhoneNote] = []
        var welcomes = 0
        var isKeeping = false
    }

    private let kept = Mutex(Kept())

    func note(_ event: DeviceEvent) {
        guard let kind = PhoneNote.Kind(event.happening) else { return }
        kept.withLock { kept in
            switch kind {
            case .welcome:
                kept.online.insert(event.device)
                kept.welcomes += 1
            case .ended: kept.online.remove(event.device)
            default: break
            }
            if kept.isKeeping {
                kept.notes.append(PhoneNote(device: event.device, time: event.time, kind: kind))
            }
        }
    }

    /// How often AUTH_OK came, ever.
    var welcomes: Int { kept.withLock { $0.welcomes } }

    /// Keeps what comes from now on; answers with who is online at this moment.
    func begin() -> Set<Int> {
        kept.withLock { kept in
            (kept.notes, kept.isKeeping) = ([], true)
            return kept.online
        }
    }

    /// What was kept; keeps no more.
    func end() -> [PhoneNote] {
        kept.withLock { kept in
            defer { (kept.notes, kept.isKeeping) = ([], false) }
            return kept.notes
        }
    }
}

extension PhoneNote.Kind {
    /// Nil for what the device did itself.
    fileprivate init?(_ happening: DeviceEvent.Happening) {
        switch happening {
        case .authenticated: self = .welcome
        case .entry, .badge, .error, .call, .other: self = .frame
        case .ended(let code, _): self = .ended(code: code)
        case .refused(let status, _): self = .refused(status: status)
        case .applied: return nil
        }
    }
}
