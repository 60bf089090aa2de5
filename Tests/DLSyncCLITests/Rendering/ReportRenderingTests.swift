import Testing

@testable import DLSync
@testable import DLSyncCLI
@testable import SyncCore

private func sample() throws -> RunReport {
    var report = RunReport(
        mode: "sync", destination: Array("/srv/\"m\"".utf8), sources: ["list", "http://h/"],
        started: HTTPDate(secondsSinceEpoch: 784_111_777))
    var failed = Outcome(
        path: try RelativePath("a"), url: "http://h/a", action: .fetch, status: .failed, reason: "gone", bytes: 5,
        failure: Failure(.missing, "gone"))
    failed.failingSince = HTTPDate(secondsSinceEpoch: 784_000_000)
    failed.failedRuns = 2
    report.count(.outcome(failed))
    report.count(
        .outcome(
            Outcome(
                path: try RelativePath("b"), url: "http://h/b", action: .replace, status: .done, reason: "new",
                bytes: 10)))
    report.count(
        .outcome(
            Outcome(
                path: try RelativePath("c"), url: "http://h/c", action: .resume, status: .failed, reason: "interrupted",
                failure: Failure(.interrupted, "interrupted"))))
    report.count(.sourceFailed(source: "http://h/", Failure(.missing, "no page")))
    report.count(.sourceFailed(source: "http://h/sub/", Failure(.missing, "no sub")))
    report.count(.deletionsKept(KeptDeletions(count: 3, reason: "too many", isRefused: true)))
    report.ended = HTTPDate(secondsSinceEpoch: 784_111_780)
    report.seconds = 3.25
    report.status = .unreadSource
    report.stopped = "after 3 s"
    report.freeSpace = 1000
    var wait = HostWait(origin: "http://h:80")
    wait.add(from: .zero, to: .zero + .milliseconds(1500))
    report.hostWaits = [wait]
    return report
}

@Suite("Rendering reports, metrics and the status")
struct ReportRenderingTests {
    private static let counts =
        #""entries":3,"actions":{"up-to-date":0,"fetch":1,"resume":1,"restart":0,"replace":1,"relabel":0,"delete":0,"skip":0,"conflict":0,"unknown":0},"#
        + #""verdicts":{"right":0,"differs":0,"missing":0,"unverifiable":0,"unreadable":0},"changed":1,"kept":0,"failed":1,"#
        + #""unfinished":1,"problems":0,"sourcesFailed":2,"vanished":1,"deleted":0,"deletionsRefused":3,"deletionsUnknown":0,"bytes":15,"bytesVerified":0"#

    @Test("A report has all members in their order")
    func report() throws {
        #expect(
            ReportRendering.json(try sample())
                == #"{"type":"report","version":1,"program":"dlsync \#(dlsyncVersion)","mode":"sync","#
                + #""destination":"/srv/\"m\"","started":"1994-11-06T08:49:37Z","ended":"1994-11-06T08:49:40Z","#
                + #""seconds":3.25,"exitStatus":4,"stopped":"after 3 s","error":null,"#
                + #""sources":[{"source":"list","state":"stopped","reason":null},"#
                + #"{"source":"http://h/","state":"failed","reason":"no page"}],"#
                + #""unreadListings":[{"source":"http://h/sub/","state":"failed","reason":"no sub"}],"# + Self.counts
                + #","failures":[{"path":"a","url":"http://h/a","reason":"gone","failingSince":"1994-11-05T01:46:40Z","#
                + #""failedRuns":2}],"deletionsKept":[{"count":3,"refused":true,"reason":"too many"}],"hostWaits":[{"origin":"http://h:80","times":1,"seconds":1.5}],"free":1000,"#
                + #""lastSuccess":null}"# + "\n")
        #expect(
            ReportRendering.summary(try sample())
                == #"{"type":"summary","version":1,"# + Self.counts + #","stopped":"after 3 s","exitStatus":4}"# + "\n")
    }

    @Test("Of a run with very many failures a thousand are named, and all are counted")
    func isBounded() throws {
        var report = RunReport(
            mode: "sync", destination: [], sources: [], started: HTTPDate(secondsSinceEpoch: 0))
        for number in 0..<3000 {
            report.count(
                .outcome(
                    Outcome(
                        path: try RelativePath("\(number)"), url: "http://h/", action: .fetch, status: .failed,
                        reason: "gone", failure: Failure(.missing, "gone"))))
            report.count(.sourceFailed(source: "\(number)", Failure(.missing, "gone")))
        }
        #expect(report.failures.count == 1000 && report.unreadListings.count == 1000)
        #expect(report.failed == 3000 && report.summary.sourcesFailed == 3000)
    }

    @Test("Metrics are gauges with the destination as a label")
    func metrics() throws {
        let text = MetricsRendering.text(try sample())
        let lines = text.split(separator: "\n")
        for line in [
            #"dlsync_run_exit_status{destination="/srv/\"m\""} 4"#,
            #"dlsync_run_duration_seconds{destination="/srv/\"m\""} 3.25"#,
            #"dlsync_entries{destination="/srv/\"m\"",action="up-to-date"} 0"#,
            #"dlsync_entries{destination="/srv/\"m\"",action="fetch"} 1"#,
            #"dlsync_entries_failed{destination="/srv/\"m\""} 1"#, #"dlsync_run_stopped{destination="/srv/\"m\""} 1"#,
            #"dlsync_oldest_failure_timestamp_seconds{destination="/srv/\"m\""} 784000000"#,
            #"dlsync_host_wait_seconds{destination="/srv/\"m\"",origin="http://h:80"} 1.5"#,
            #"dlsync_free_bytes{destination="/srv/\"m\""} 1000"#,
        ] { #expect(lines.contains(Substring(line)), "\(line)") }
        #expect(!text.contains("last_success") && !text.contains("verified"))
        // Each number belongs to the family that is described before it, and no family comes twice.
        var family = ""
        var seen: Set<String> = []
        for line in lines {
            let words = line.split(separator: " ")
            if words[0] == "#", words[1] == "HELP" {
                family = String(words[2])
                #expect(seen.insert(family).inserted)
            } else if words[0] == "#" {
                #expect(words == ["#", "TYPE", Substring(family), "gauge"])
            } else {
                #expect(line.hasPrefix(family + "{"))
            }
        }
        #expect(text.hasSuffix("\n"))
    }

    @Test("The label of an odd destination is escaped")
    func escapes() {
        let report = RunReport(
            mode: "verify", destination: Array("a\\b\n\"".utf8), sources: [], started: HTTPDate(secondsSinceEpoch: 1))
        let text = MetricsRendering.text(report)
        #expect(text.contains(#"dlsync_problems{destination="a\\b\n\""} 0"#))
        #expect(text.contains(#"dlsync_verified_files{destination="a\\b\n\"",verdict="right"} 0"#))
    }

    private static func status() throws -> DestinationStatus {
        var status = DestinationStatus()
        (status.files, status.bytes, status.filesWithDigest) = (2, 3 << 20, 1)
        status.partials = [
            PartialRecord(
                id: "r1-1", path: try RelativePath(bytes: [0x70, 0x0A]),
                identity: Identity(resource: "http://h/p", representation: Representation(length: 4096)),
                extents: ByteRangeSet([ByteRange(0, 1024)]))
        ]
        let first = HTTPDate(secondsSinceEpoch: 784_111_777)
        status.failures = [
            FailureRecord(
                path: try RelativePath("f"), resource: "http://h/f", message: "gone", firstDate: first,
                lastDate: HTTPDate(secondsSinceEpoch: 784_115_377), runs: 2)
        ]
        status.failureCount = 1
        status.runs = [
            RunRecord(number: 2, started: HTTPDate(secondsSinceEpoch: 784_115_377)),
            RunRecord(number: 1, started: first, ended: HTTPDate(secondsSinceEpoch: 784_111_837), exitStatus: 3),
        ]
        status.hosts = [
            HostFacts(
                origin: "http://h:80", traits: HostTraits(refusesRanges: true), permits: 2,
                learnt: first)
        ]
        status.sources = [
            SourceRecord(name: "/lists/a\n", files: 1, lastRead: first),
            SourceRecord(name: "http://me:secret@h/pub/", files: 3, lastRead: nil),
        ]
        return status
    }

    @Test("The status for people tells ages, runs and what is here of unfinished files")
    func statusAsText() throws {
        let now = HTTPDate(secondsSinceEpoch: 784_115_380)
        #expect(
            StatusRendering.text(try Self.status(), now: now) == """
                2 files, 3.0 MiB, 1 with a digest to verify it by
                never in sync yet

                UNFINISHED
                  p\\x0a  1.0 KiB of 4.0 KiB

                FAILED
                  f  for 1:00:03, in 2 runs: gone

                RUNS
                  1994-11-06T09:49:37Z  did not end: it was killed
                  1994-11-06T08:49:37Z  exit status 3 after 1:00

                SOURCES
                  /lists/a\\x0a  1 file, given last 1:00:03 ago
                  http://h/pub/  3 files, not given for a hundred runs

                HOSTS
                  http://h:80  gives no ranges, takes 2 at once

                """)
        var busy = try Self.status()
        busy.isBusy = true
        busy.failureCount = 2_000_001
        busy.lastSuccess = HTTPDate(secondsSinceEpoch: 784_115_370)
        let text = StatusRendering.text(busy, now: now)
        #expect(text.hasPrefix("A run works on it now.\n"))
        #expect(text.contains("in sync last at 1994-11-06T09:49:30Z (10 s ago)\n"))
        #expect(text.contains("in 2 runs: gone\n  and 2000000 more\n\nRUNS\n"))
        #expect(text.contains("1994-11-06T09:49:37Z  works now\n"))
    }

    @Test("The status for programs is a line for each thing, and the summary")
    func statusAsJSON() throws {
        #expect(
            StatusRendering.json(try Self.status(), now: HTTPDate(secondsSinceEpoch: 784_115_380)) == #"""
                {"type":"partial","path":"p\n","url":"http://h/p","have":1024,"size":4096}
                {"type":"failure","path":"f","url":"http://h/f","reason":"gone","first":"1994-11-06T08:49:37Z","last":"1994-11-06T09:49:37Z","seconds":3603,"runs":2}
                {"type":"run","number":2,"started":"1994-11-06T09:49:37Z","ended":null,"exitStatus":null}
                {"type":"run","number":1,"started":"1994-11-06T08:49:37Z","ended":"1994-11-06T08:50:37Z","exitStatus":3}
                {"type":"source","name":"/lists/a\n","files":1,"lastRead":"1994-11-06T08:49:37Z"}
                {"type":"source","name":"http://h/pub/","files":3,"lastRead":null}
                {"type":"host","origin":"http://h:80","refusesRanges":true,"ifRange":"tag","unsteadyTags":false,"permits":2}
                {"type":"summary","version":1,"busy":false,"files":2,"bytes":3145728,"filesWithDigest":1,"partials":1,"failures":1,"lastSuccess":null}

                """#)
    }

    @Test("Hooks are told of a run by variables, whose values are bytes that no shell reads")
    func hookVariables() throws {
        var report = try sample()
        report.destination = Array("/d/it's \"x\"\n$(id)".utf8) + [0xFF]
        let variables = HookEnvironment.variables(
            report, reportFile: Array("r".utf8), failedFile: nil, eventsFile: [0x65, 0, 0x66])
        #expect(
            variables
                == [
                    "DLSYNC_STATUS=4", "DLSYNC_CHANGED=1", "DLSYNC_DELETED=0", "DLSYNC_FAILED=1", "DLSYNC_PROBLEMS=0",
                    "DLSYNC_SOURCES_FAILED=2", "DLSYNC_BYTES=15", "DLSYNC_MODE=sync", "DLSYNC_VERSION=\(dlsyncVersion)",
                ].map { Array($0.utf8) } + [
                    Array("DLSYNC_DEST=/d/it's \"x\"\n$(id)".utf8) + [0xFF], Array("DLSYNC_REPORT=r".utf8),
                    Array("DLSYNC_EVENTS=e".utf8),
                ])
    }
}
