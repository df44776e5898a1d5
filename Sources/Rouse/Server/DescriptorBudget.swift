/// How the descriptors of the process are shared out, so that devices can neither take those of the database
/// and the providers nor those of the operators. Pure.
struct DescriptorBudget: Equatable {
    /// On the public listener.
    let connections: Int
    let adminConnections: Int
    /// What each listener may hold beyond its maximum, to say that there is no room.
    let refusals: Int

    /// For the database, the providers, the listeners and files; less where there is little.
    private static let reserve = 512
    private static let mostRefusals = 64
    private static let fewest = 8

    /// `limit`: descriptors the process may have. What is wished for is cut to what they allow; nil: all of
    /// it.
    init(limit: Int, connections wish: Int?, adminConnections adminWish: Int) {
        adminConnections = min(adminWish, max(Self.fewest, limit / 8))
        let reserve = min(Self.reserve, limit / 4)
        refusals = min(Self.mostRefusals, max(1, limit / 32))
        let most = max(Self.fewest, limit - reserve - adminConnections - 2 * refusals)
        connections = min(wish ?? most, most)
    }
}
