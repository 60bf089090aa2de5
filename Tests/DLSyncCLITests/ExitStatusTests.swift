import CommandLineKit
import Testing

@testable import DLSync
@testable import DLSyncCLI

// Swift Testing has a type of this name too.
private typealias ExitStatus = DLSyncCLI.ExitStatus

@Suite("The exit status")
struct ExitStatusTests {
    private static let origin = EntryOrigin(source: "list", line: 1)

    private static func outcome(_ code: Failure.Code?) throws -> SyncEvent {
        .outcome(
            Outcome(
                path: try RelativePath(bytes: Array("file".utf8)), url: "http://example.org/file", action: .fetch,
                status: code == nil ? .done : .failed, reason: "", failure: code.map { Failure($0, "why") }))
    }

    fileprivate static func events() throws -> [(event: SyncEvent, status: ExitStatus)] {
        [
            (try outcome(.diskFull), .disk), (try outcome(.readOnly), .disk), (try outcome(.denied), .denied),
            (.sourceFailed(source: "list", Failure(.unreadable, "why")), .unreadSource),
            (.sourceFailed(source: "list", Failure(.missing, "why")), .unreadSource),
            (try outcome(.digestMismatch), .digestMismatch), (try outcome(.missing), .partial),
            (try outcome(.couldNotConnect), .partial), (try outcome(.status(500)), .partial),
            (.problem(origin, Failure(.badEntry, "why")), .partial),
            (.problem(origin, Failure(.collision, "why")), .partial), (try outcome(nil), .inSync),
            (.deletionsKept(KeptDeletions(count: 3, reason: "why", isRefused: true)), .guarded),
            (.deletionsKept(KeptDeletions(count: 3, reason: "why", isRefused: false)), .inSync),
        ]
    }

    @Test("Each event has its status, and of two the graver wins, in whatever order they come")
    func gravestWins() throws {
        #expect(ExitStatus(SyncSummary()) == .inSync)
        // From the gravest to the lightest.
        let order: [ExitStatus] = [.disk, .denied, .unreadSource, .digestMismatch, .guarded, .partial, .inSync]
        let events = try Self.events()
        for (one, status) in events {
            for (other, otherStatus) in events {
                var summary = SyncSummary()
                summary.count(one)
                summary.count(other)
                let gravest = order.first { $0 == status || $0 == otherStatus }
                #expect(ExitStatus(summary) == gravest, "\(one), \(other)")
            }
        }
    }

    @Test("A run that was stopped says so unless something failed, and what it could not get to is no failure")
    func stopped() throws {
        var summary = SyncSummary()
        #expect(ExitStatus(summary, isStopped: true) == .stopped)
        summary.count(try Self.outcome(.interrupted))
        #expect(ExitStatus(summary, isStopped: true) == .stopped)
        #expect(ExitStatus(summary) == .partial)
        for (event, status) in try Self.events() where status != .inSync {
            var both = summary
            both.count(event)
            #expect(ExitStatus(both, isStopped: true) == status)
        }
    }

    @Test("A source that asks for credentials counts as denied")
    func sourceDenied() {
        var summary = SyncSummary()
        summary.count(.sourceFailed(source: "http://example.org/", Failure(.denied, "why")))
        #expect(ExitStatus(summary) == .denied)
    }

    @Test(
        "A run that cannot begin says why",
        arguments: [
            (.busy, .busy), (.diskFull, .disk), (.readOnly, .disk), (.disk, .failed), (.state, .failed),
        ] as [(Failure.Code, ExitStatus)])
    fileprivate func cannotBegin(code: Failure.Code, status: ExitStatus) {
        #expect(ExitStatus(Failure(code, "why")) == status)
    }

    @Test("The numbers are those that other programs rely on, and each is in the manual")
    func numbers() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130, 143])
        let manual = dlsyncCommand.manPage(version: "1", date: "")
        for status in ExitStatus.allCases { #expect(manual.contains("\\fB\(status.rawValue)\\fR")) }
    }
}
