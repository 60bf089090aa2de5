import SyncCore
import Testing

@Suite struct FailureTests {
    @Test("case 22: the statuses that pass by themselves, and those that do not")
    func statuses() {
        let passing = [408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530]
        for status in 100..<600 {
            #expect(Failure(.status(status), "").isTransient == passing.contains(status), "\(status)")
        }
    }
}
