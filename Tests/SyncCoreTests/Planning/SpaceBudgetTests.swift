import SyncCore
import Testing

@Suite struct SpaceBudgetTests {
    /// A download that asks for room.
    struct Case: Sendable, CustomTestStringConvertible {
        var need: Int64
        var free: Int64?
        var owed: [String: Int64] = [:]
        var verdict: SpaceBudget.Verdict
        var testDescription: String { "\(need) of \(free.map(String.init) ?? "unknown") with \(owed)" }
    }

    @Test(
        "What fits goes on, and what does not is told what is left",
        arguments: [
            Case(need: 0, free: 0, verdict: .fits),
            Case(need: 1, free: 0, verdict: .lacks(left: 0)),
            Case(need: 100, free: 100, verdict: .fits),
            Case(need: 101, free: 100, verdict: .lacks(left: 100)),
            Case(need: .max, free: .max, verdict: .fits),
            Case(need: .max, free: nil, verdict: .fits),
            Case(need: .max, free: nil, owed: ["b": 1], verdict: .fits),
            Case(need: 60, free: 100, owed: ["b": 40], verdict: .fits),
            Case(need: 61, free: 100, owed: ["b": 40], verdict: .lacks(left: 60)),
            Case(need: 61, free: 100, owed: ["b": 20, "c": 20], verdict: .lacks(left: 60)),
            Case(need: 1, free: 100, owed: ["b": .max, "c": .max], verdict: .lacks(left: 0)),
            Case(need: 0, free: 100, owed: ["b": .max], verdict: .fits),
            Case(need: 100, free: 100, owed: ["a": 100], verdict: .fits),
            Case(need: -1, free: -1, verdict: .fits),
            Case(need: 1, free: -1, verdict: .lacks(left: 0)),
            Case(need: 100, free: 100, owed: ["b": 0, "c": -5], verdict: .fits),
        ])
    func judges(sample: Case) {
        var budget = SpaceBudget()
        for (id, bytes) in sample.owed { budget.owes(bytes, to: id) }
        #expect(budget.verdict(need: sample.need, partial: "a", free: sample.free) == sample.verdict)
    }

    @Test(
        "No file gets the bytes that are to stay free, not even one of unknown length",
        arguments: [
            (0, 100, .fits), (0, 99, .lacks(left: 0)), (1, 100, .lacks(left: 0)), (10, 110, .fits),
            (11, 110, .lacks(left: 10)), (0, 0, .lacks(left: 0)), (.max, nil, .fits), (0, -1, .lacks(left: 0)),
        ] as [(Int64, Int64?, SpaceBudget.Verdict)])
    func keepsFree(need: Int64, free: Int64?, verdict: SpaceBudget.Verdict) {
        var budget = SpaceBudget(kept: 100)
        #expect(budget.verdict(need: need, partial: "a", free: free) == verdict)
        budget.owes(.max, to: "b")
        if let free { #expect(budget.verdict(need: need, partial: "a", free: free) == .lacks(left: 0)) }
    }

    @Test("A promise that is kept or taken back no longer counts")
    func takesBack() {
        var budget = SpaceBudget()
        budget.owes(80, to: "a")
        #expect(budget.verdict(need: 30, partial: nil, free: 100) == .lacks(left: 20))
        budget.owes(10, to: "a")
        #expect(budget.verdict(need: 30, partial: nil, free: 40) == .fits)
        budget.owes(0, to: "a")
        #expect(budget == SpaceBudget())
    }
}
