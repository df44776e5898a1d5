import Testing

@testable import Rouse

struct DescriptorBudgetTests {
    @Test func `19,000 connections fit under a limit of 20,000`() {
        let budget = DescriptorBudget(limit: 20_000, connections: nil, adminConnections: 256)
        #expect(budget.connections >= 19_000)
        #expect(budget.connections + budget.adminConnections + 2 * 64 + 512 <= 20_000)
    }

    @Test(arguments: [(1_024, 550), (4_096, 3_000), (256, 120), (64, 8), (1_048_576, 1_000_000)])
    func `what is left to the public grows with the limit and never eats the rest`(_ limit: Int, _ least: Int)
    {
        let budget = DescriptorBudget(limit: limit, connections: nil, adminConnections: 256)
        #expect(budget.connections >= least)
        let rest = limit - budget.connections - budget.adminConnections - 2 * budget.refusals
        #expect(rest >= min(512, limit / 4))
        #expect(budget.adminConnections >= 8)
    }

    @Test func `a wish is cut to what the limit allows`() {
        let modest = DescriptorBudget(limit: 20_000, connections: 100, adminConnections: 4)
        #expect(modest.connections == 100 && modest.adminConnections == 4)
        let greedy = DescriptorBudget(limit: 1_024, connections: 1_000_000, adminConnections: 100_000)
        #expect(greedy == DescriptorBudget(limit: 1_024, connections: nil, adminConnections: 100_000))
        #expect(greedy.connections < 1_024)
    }
}
