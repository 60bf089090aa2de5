internal import DLSync
internal import Glibc
internal import Synchronization

/// Tells of a run in files: every event as it comes, and the whole at the end. Nothing is kept of what is written.
final class RunRecorder: Sendable {
    private let files: OutputFiles
    private let outputs = Mutex<(events: OutputFile?, failed: OutputFile?)>((nil, nil))
    private let log: LogFile?
    private let isVerbose: Bool
    private let isQuiet: Bool
    private let report: Mutex<RunReport>
    private let startedAt = ContinuousClock.now

    /// Opens the log. The other files are those of the run that holds the destination: see ``open()``.
    init(_ settings: Settings, console: Console) throws(Failure) {
        files = settings.files
        isVerbose = settings.isVerbose
        isQuiet = settings.isQuiet
        report = Mutex(RunReport(of: settings))
        log = try files.log.map { path throws(Failure) in try LogFile(path) }
        console.keep(in: log)
    }

    /// Opens the files that are written as the run goes on, so that one that cannot be written is told before anything is
    /// done. To be called by the run that holds the destination: one that finds it busy must not touch the files of that one.
    func open() throws(Failure) {
        let events = try files.events.map { path throws(Failure) in try OutputFile(path, .begun) }
        let failed = try files.failed.map { path throws(Failure) in try OutputFile(path, .replacedOrRemoved) }
        outputs.withLock { $0 = (events, failed) }
    }

    /// Notes an event.
    func note(_ event: SyncEvent) {
        report.withLock { $0.count(event) }
        let (events, failed) = outputs.withLock { $0 }
        if let events, let line = EventRendering.json(event) { events.write(line) }
        if case .outcome(let outcome) = event {
            if let failed, let text = FailedListRendering.text(outcome) { failed.write(text) }
            // What failed is a message on the console, which the log has too.
            if outcome.status == .done, !isQuiet, !isVerbose { log?.add(OutcomeRendering.text(outcome)) }
        }
    }

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
        let (events, failed) = outputs.withLock { $0 }
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

extension RunReport {
    /// A run that has just begun.
    init(of settings: Settings) {
        let mode =
            switch settings.mode {
            case .verify: "verify"
            case .repair: "repair"
            case .sync, .dryRun, .list, .explain, .status, .forgetSource: "sync"
            }
        self.init(
            mode: mode, destination: settings.destination, sources: settings.sources.map(\.name),
            started: currentDate())
    }
}
