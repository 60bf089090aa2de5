internal import DLSync
internal import Glibc
internal import Synchronization

/// Tells of a run in files: every event as it comes, and the whole at the end. Nothing is kept of what is written.
final class RunRecorder: Sendable {
    private let files: OutputFiles
    private let events: OutputFile?
    private let failed: OutputFile?
    private let log: LogFile?
    private let isVerbose: Bool
    private let isQuiet: Bool
    private let report: Mutex<RunReport>
    private let startedAt = ContinuousClock.now

    /// Opens the files, so that one that cannot be written is told before anything is done.
    init(_ settings: Settings, console: Console) throws(Failure) {
        files = settings.files
        isVerbose = settings.isVerbose
        isQuiet = settings.isQuiet
        let mode =
            switch settings.mode {
            case .verify: "verify"
            case .repair: "repair"
            case .sync, .dryRun, .list, .status: "sync"
            }
        report = Mutex(
            RunReport(
                mode: mode, destination: settings.destination, sources: settings.sources.map(\.name),
                started: currentDate()))
        log = try files.log.map { path throws(Failure) in try LogFile(path) }
        events = try files.events.map { path throws(Failure) in try OutputFile(path, .begun) }
        failed = try files.failed.map { path throws(Failure) in try OutputFile(path, .replacedOrRemoved) }
        console.keep(in: log)
    }

    /// Notes an event.
    func note(_ event: SyncEvent) {
        report.withLock { $0.count(event) }
        if let events, let line = EventRendering.json(event) { events.write(line) }
        if case .outcome(let outcome) = event {
            if let failed, let text = FailedListRendering.text(outcome) { failed.write(text) }
            // What failed is a message on the console, which the log has too.
            if outcome.status == .done, !isQuiet, !isVerbose { log?.add(OutcomeRendering.text(outcome)) }
        }
    }

    /// What was counted so far.
    var summary: SyncSummary { report.withLock { $0.summary } }

    /// Notes what is known of a session at its end.
    func note(_ session: SyncSession, status: ExitStatus) async {
        let waits = await session.hostWaits
        report.withLock { report in
            report.status = status
            report.stopped = session.stopReason.map { "\($0)" }
            report.hostWaits = waits
            report.freeSpace = session.freeSpace
            report.lastSuccess = session.lastSuccess
        }
    }

    /// Ends all files.
    ///
    /// - Returns: The report, whose status tells what went wrong here too, and that in words.
    func finish(_ status: ExitStatus, error: String?) -> (report: RunReport, failures: [Failure]) {
        let took = ContinuousClock.now - startedAt
        var report = report.withLock { report in
            report.status = status
            report.error = error
            report.ended = currentDate()
            report.seconds = EventRendering.seconds(took)
            if status == .inSync { report.lastSuccess = report.ended }
            return report
        }
        var failures: [Failure] = []
        if let failure = failed?.finish() { failures.append(failure) }
        events?.write(ReportRendering.summary(report))
        if let failure = events?.finish() { failures.append(failure) }
        // These tell of the others' failures, and are the last that can.
        if let failure = failures.first, report.status == .inSync {
            report.status = ExitStatus(failure)
            report.error = failure.message
        }
        if let path = files.report, let failure = OutputFile.replace(path, by: ReportRendering.json(report)) {
            failures.append(failure)
        }
        if let path = files.metrics, let failure = OutputFile.replace(path, by: MetricsRendering.text(report)) {
            failures.append(failure)
        }
        if let failure = log?.failure { failures.append(failure) }
        if let failure = failures.first, report.status == .inSync { report.status = ExitStatus(failure) }
        return (report, failures)
    }

    /// Says in the log alone how the run ended.
    func logEnd(_ report: RunReport) {
        log?.add("ended with exit status \(report.status.rawValue): \(OutcomeRendering.counts(report))")
    }
}
