package import CommandLineKit
internal import DLSync
internal import Glibc

/// The command `dlsync`: reads its words, runs a mode, and gives the exit status.
package struct Tool: Sendable {
    let console: Console

    package init(console: Console = Console()) { self.console = console }

    /// Runs with the words behind the command's name.
    package func run(_ words: [ArgumentValue]) async -> ExitStatus {
        let status = await perform(words)
        guard let failure = console.outputFailure else { return status }
        console.say("dlsync: \(failure.message).")
        return status == .inSync ? ExitStatus(failure) : status
    }

    private func perform(_ words: [ArgumentValue]) async -> ExitStatus {
        let settings: Settings
        var layers: LayeredArguments?
        do {
            let arguments = try dlsyncCommand.parse(words)
            if let text = try information(arguments) {
                console.print(text)
                return .inSync
            }
            let layered = try LayeredArguments(arguments)
            layers = layered
            settings = try Settings(layered.arguments, commandLine: arguments)
        } catch {
            // The text has its last line end already.
            let error = layers?.located(error) ?? error
            console.say(String(dlsyncCommand.errorText(for: error).dropLast()))
            return .usage
        }
        switch settings.mode {
        case .list: return await list(settings)
        case .explain: return await explain(settings)
        case .status: return showStatus(settings)
        case .forgetSource: return forgetSource(settings)
        case .dryRun: return await withSession(settings, recorder: nil).status
        case .sync, .verify, .repair: return await run(settings)
        }
    }

    /// The text of a mode that only tells something; nil for all others.
    private func information(_ arguments: ParsedArguments) throws(UsageError) -> String? {
        if arguments.flag("help") { return dlsyncCommand.helpText(width: console.size.columns) }
        if arguments.flag("version") { return "dlsync \(dlsyncVersion)\n" }
        if arguments.flag("manual") { return dlsyncCommand.manPage(version: dlsyncVersion, date: "") }
        return try arguments.choice("completions", of: Shell.self).map { dlsyncCommand.completions(for: $0) }
    }

    /// Runs a mode on the destination, with what tells of it in files and by commands.
    private func run(_ settings: Settings) async -> ExitStatus {
        let recorder: RunRecorder
        do {
            recorder = try RunRecorder(settings, console: console)
        } catch {
            console.say("dlsync: \(error.message).")
            var report = RunReport(of: settings)
            report.status = ExitStatus(error)
            return await runHooks(settings, report)
        }
        let (status, error) = await withSession(settings, recorder: recorder)
        // The files are those of the run that holds the destination.
        guard status != .busy else { return status }
        let (report, failures) = recorder.finish(status, error: error)
        for failure in failures { console.say("dlsync: \(failure.message).") }
        let end = await runHooks(settings, report)
        recorder.logEnd(report)
        return end
    }

    /// Runs the commands that are asked for; gives the exit status, which tells of theirs where all else was well.
    private func runHooks(_ settings: Settings, _ report: RunReport) async -> ExitStatus {
        let hasFailed = ![.inSync, .stopped, .interrupted, .terminated].contains(report.status)
        let commands = [
            report.summary.done > 0 ? ("--on-change", settings.hooks.onChange) : nil,
            hasFailed ? ("--on-failure", settings.hooks.onFailure) : nil,
        ]
        var status = report.status
        for case (let name, let command?)? in commands {
            let hook = HookProcess(
                command: command,
                variables: HookEnvironment.variables(
                    report, reportFile: settings.files.report, failedFile: settings.files.failed,
                    eventsFile: settings.files.events))
            guard let fault = await hook.run() else { continue }
            console.say("dlsync: the command of \(name) \(fault).")
            if status == .inSync { status = .failed }
        }
        return status
    }

    /// Opens the destination and runs a mode on it; gives the exit status, and why it could not be done.
    private func withSession(
        _ settings: Settings, recorder: RunRecorder?
    ) async -> (status: ExitStatus, error: String?) {
        do {
            let status = try await withSyncSession(into: settings.destination, settings.configuration) {
                session -> ExitStatus in
                try recorder?.open()
                for note in session.notes { console.say("dlsync: \(note).") }
                let signals = Signals { Task { await session.interrupt() } }
                defer { signals.stop() }
                let display = ProgressDisplay(console: console, style: style(settings))
                let summary = await display.around(session) { await carryOut(settings, on: session, recorder) }
                let status = self.status(
                    of: summary, signals.received, isStopped: session.stopReason != nil)
                await recorder?.note(session, status: status)
                await tellEnd(of: session, settings, summary, status)
                session.noteExitStatus(status.rawValue)
                return status
            }
            return (status, nil)
        } catch let failure as Failure {
            let status = ExitStatus(failure)
            // Two runs that meet are nothing to wake anybody for.
            if status != .busy || console.hasTerminal { console.say("dlsync: \(failure.message).") }
            return (status, failure.message)
        } catch {
            console.say("dlsync: \(error).")
            return (.failed, "\(error)")
        }
    }

    private func carryOut(
        _ settings: Settings, on session: SyncSession, _ recorder: RunRecorder?
    ) async -> SyncSummary {
        switch settings.mode {
        case .dryRun: await plan(session, settings)
        case .verify: await bringUpToDate(session.verify(settings.sources), settings, recorder)
        case .repair: await bringUpToDate(session.verify(settings.sources, repairs: true), settings, recorder)
        case .sync, .list, .explain, .status, .forgetSource:
            await bringUpToDate(session.run(settings.sources), settings, recorder)
        }
    }

    /// Says what a run came to, where somebody wants to know.
    private func tellEnd(
        of session: SyncSession, _ settings: Settings, _ summary: SyncSummary, _ status: ExitStatus
    ) async {
        let isShown = style(settings) != .none && !settings.isQuiet
        switch settings.mode {
        case .dryRun:
            let free = session.freeSpace
            console.print(
                settings.printsJSON
                    ? PlanRendering.json(summary, freeSpace: free, status: status)
                    : PlanRendering.text(summary, freeSpace: free))
        case .verify, .repair:
            if settings.printsJSON {
                console.print(VerificationRendering.json(summary, status: status))
            } else if isShown || settings.isVerbose || status == .digestMismatch {
                console.say(VerificationRendering.text(summary))
            }
        case .sync, .list, .explain, .status, .forgetSource:
            if isShown { console.say(OutcomeRendering.text(summary, session.progress)) }
        }
        guard settings.isVerbose || isShown else { return }
        for wait in await session.hostWaits { console.say("dlsync: \(wait).") }
        if let reason = session.stopReason {
            console.say("dlsync: stopped \(reason); the rest is left to the next run.")
        }
    }

    private func style(_ settings: Settings) -> Settings.Progress {
        guard !settings.isQuiet else { return .none }
        guard settings.progress == .auto else { return settings.progress }
        // The plan itself is what a person sees growing in a dry run.
        return console.hasTerminal && settings.mode != .dryRun ? .bar : .none
    }

    func status(of summary: SyncSummary, _ signal: Int32?, isStopped: Bool = false) -> ExitStatus {
        switch signal {
        case SIGINT: .interrupted
        case .some: .terminated
        case nil: ExitStatus(summary, isStopped: isStopped)
        }
    }

    /// Prints what would be done.
    private func plan(_ session: SyncSession, _ settings: Settings) async -> SyncSummary {
        var summary = SyncSummary()
        for await event in session.planEvents(settings.sources) {
            summary.count(event)
            switch event {
            case .planned(let planned):
                console.print(settings.printsJSON ? PlanRendering.json(planned) : PlanRendering.text(planned))
            case .problem(let origin, let failure):
                console.say(OutcomeRendering.problem(origin, failure))
                if settings.printsJSON { console.print(PlanRendering.json(origin, failure)) }
            case .sourceFailed(let source, let failure):
                console.say(OutcomeRendering.sourceFailed(source, failure))
                if settings.printsJSON { console.print(PlanRendering.json(source: source, failure)) }
            case .plannedDeletion(let deletion):
                console.print(settings.printsJSON ? PlanRendering.json(deletion) : PlanRendering.text(deletion))
            case .deletionsKept(let kept):
                console.say(OutcomeRendering.kept(kept))
                if settings.printsJSON { console.print(PlanRendering.json(kept)) }
            case .outcome, .listed, .listing, .verified:
                break
            }
        }
        return summary
    }

    /// Does it, and says what failed.
    private func bringUpToDate(
        _ events: SyncEvents, _ settings: Settings, _ recorder: RunRecorder?
    ) async -> SyncSummary {
        var summary = SyncSummary()
        for await event in events {
            summary.count(event)
            recorder?.note(event)
            if settings.printsJSON, let line = EventRendering.json(event) { console.print(line) }
            switch event {
            case .outcome(let outcome):
                if outcome.status == .failed, outcome.failure?.code != .interrupted {
                    console.say(OutcomeRendering.failure(outcome))
                } else if settings.isVerbose {
                    console.say(OutcomeRendering.text(outcome))
                }
            case .verified(let finding):
                let isNamed = finding.verdict != .right || settings.isVerbose
                if isNamed, !settings.printsJSON, !settings.isQuiet || finding.failure != nil {
                    console.print(VerificationRendering.text(finding))
                }
            case .problem(let origin, let failure):
                console.say(OutcomeRendering.problem(origin, failure))
            case .sourceFailed(let source, let failure):
                console.say(OutcomeRendering.sourceFailed(source, failure))
            case .deletionsKept(let kept):
                console.say(OutcomeRendering.kept(kept))
            case .planned, .plannedDeletion, .listed, .listing:
                break
            }
        }
        return summary
    }

    /// Has the destination forget a source.
    private func forgetSource(_ settings: Settings) -> ExitStatus {
        do {
            let forgotten = try ForgottenSource(settings.forgottenSource ?? "", of: settings.destination)
            if !settings.isQuiet { console.print(StatusRendering.text(forgotten)) }
            return .inSync
        } catch {
            console.say("dlsync: \(error.message).")
            return ExitStatus(error)
        }
    }

    /// Prints what the destination remembers.
    private func showStatus(_ settings: Settings) -> ExitStatus {
        do {
            let status = try DestinationStatus(of: settings.destination)
            for note in status.notes { console.say("dlsync: \(note).") }
            let now = currentDate()
            console.print(
                settings.printsJSON
                    ? StatusRendering.json(status, now: now) : StatusRendering.text(status, now: now))
            return .inSync
        } catch {
            console.say("dlsync: \(error.message).")
            return ExitStatus(error)
        }
    }
}
