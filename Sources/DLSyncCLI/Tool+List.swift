internal import DLSync
internal import Glibc

extension Tool {
    /// Prints what the sources yield.
    func list(_ settings: Settings) async -> ExitStatus {
        let work = Task {
            try await withSourceListing(of: settings.sources, settings.configuration) { events in
                await printed(events, settings)
            }
        }
        let signals = Signals { work.cancel() }
        defer { signals.stop() }
        do {
            let summary = try await work.value
            let status = status(of: summary, signals.received)
            if settings.printsJSON {
                console.print(ListRendering.json(summary, status: status))
            } else if settings.isVerbose {
                console.say(String(ListRendering.text(summary).dropLast()))
            }
            return status
        } catch let failure as Failure {
            console.say("dlsync: \(failure.message).")
            return ExitStatus(failure)
        } catch {
            console.say("dlsync: \(error).")
            return .failed
        }
    }

    private func printed(_ events: SyncEvents, _ settings: Settings) async -> SyncSummary {
        var summary = SyncSummary()
        for await event in events {
            summary.count(event)
            switch event {
            case .listed(let entry, let path):
                console.print(settings.printsJSON ? ListRendering.json(entry, path) : ListRendering.text(entry, path))
            case .listing(let listing):
                console.print(settings.printsJSON ? ListRendering.json(listing) : ListRendering.text(listing))
            case .problem(let origin, let failure):
                console.say(OutcomeRendering.problem(origin, failure))
                if settings.printsJSON { console.print(PlanRendering.json(origin, failure)) }
            case .sourceFailed(let source, let failure):
                console.say(OutcomeRendering.sourceFailed(source, failure))
                if settings.printsJSON { console.print(PlanRendering.json(source: source, failure)) }
            case .planned, .plannedDeletion, .outcome, .deletionsKept, .verified:
                break
            }
        }
        return summary
    }
}
