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
        do {
            let arguments = try dlsyncCommand.parse(words)
            if let text = try information(arguments) {
                console.print(text)
                return .inSync
            }
            settings = try Settings(arguments)
        } catch {
            // The text has its last line end already.
            console.say(String(dlsyncCommand.errorText(for: error).dropLast()))
            return .usage
        }
        return switch settings.mode {
        case .list: await list(settings)
        case .explain: await explain(settings)
        case .sync, .dryRun: await sync(settings)
        }
    }

    /// The text of a mode that only tells something; nil for all others.
    private func information(_ arguments: ParsedArguments) throws(UsageError) -> String? {
        if arguments.flag("help") { return dlsyncCommand.helpText(width: console.size.columns) }
        if arguments.flag("version") { return "dlsync \(dlsyncVersion)\n" }
        if arguments.flag("manual") { return dlsyncCommand.manPage(version: dlsyncVersion, date: "") }
        return try arguments.choice("completions", of: Shell.self).map { dlsyncCommand.completions(for: $0) }
    }

    private func sync(_ settings: Settings) async -> ExitStatus {
        do {
            return try await withSyncSession(into: settings.destination, settings.configuration) { session in
                for note in session.notes { console.say("dlsync: \(note).") }
                let signals = Signals { Task { await session.interrupt() } }
                defer { signals.stop() }
                let display = ProgressDisplay(console: console, style: style(settings))
                let summary = await display.around(session) {
                    settings.mode == .dryRun
                        ? await plan(session, settings) : await bringUpToDate(session, settings)
                }
                let status = status(of: summary, signals.received)
                if settings.mode == .dryRun {
                    let free = session.freeSpace
                    console.print(
                        settings.printsJSON
                            ? PlanRendering.json(summary, freeSpace: free, status: status)
                            : PlanRendering.text(summary, freeSpace: free))
                } else if style(settings) != .none, !settings.isQuiet {
                    console.say(OutcomeRendering.text(summary, session.progress))
                }
                if settings.isVerbose || style(settings) != .none {
                    for wait in await session.hostWaits { console.say("dlsync: \(wait).") }
                }
                session.noteExitStatus(status.rawValue)
                return status
            }
        } catch let failure as Failure {
            let status = ExitStatus(failure)
            // Two runs that meet are nothing to wake anybody for.
            if status != .busy || console.hasTerminal { console.say("dlsync: \(failure.message).") }
            return status
        } catch {
            console.say("dlsync: \(error).")
            return .failed
        }
    }

    private func style(_ settings: Settings) -> Settings.Progress {
        guard !settings.isQuiet else { return .none }
        guard settings.progress == .auto else { return settings.progress }
        // The plan itself is what a person sees growing in a dry run.
        return console.hasTerminal && settings.mode != .dryRun ? .bar : .none
    }

    func status(of summary: SyncSummary, _ signal: Int32?) -> ExitStatus {
        switch signal {
        case SIGINT: .interrupted
        case .some: .terminated
        case nil: ExitStatus(summary)
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
            case .outcome, .listed, .listing:
                break
            }
        }
        return summary
    }

    /// Does it, and says what failed.
    private func bringUpToDate(_ session: SyncSession, _ settings: Settings) async -> SyncSummary {
        var summary = SyncSummary()
        for await event in session.run(settings.sources) {
            summary.count(event)
            switch event {
            case .outcome(let outcome):
                if outcome.status == .failed, outcome.failure?.code != .interrupted {
                    console.say(OutcomeRendering.failure(outcome))
                } else if settings.isVerbose {
                    console.say(OutcomeRendering.text(outcome))
                }
            case .problem(let origin, let failure):
                console.say(OutcomeRendering.problem(origin, failure))
            case .sourceFailed(let source, let failure):
                console.say(OutcomeRendering.sourceFailed(source, failure))
            case .planned, .listed, .listing:
                break
            }
        }
        return summary
    }
}
