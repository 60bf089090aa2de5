internal import DLSync

extension Tool {
    /// Prints what a listing's links were taken for.
    func explain(_ settings: Settings) async -> ExitStatus {
        guard let source = settings.sources.first else { return .usage }
        let work = Task { () async -> Result<ListingExplanation, Failure> in
            do throws(Failure) {
                return .success(try await explainListing(source, settings.configuration))
            } catch {
                return .failure(error)
            }
        }
        let signals = Signals { work.cancel() }
        defer { signals.stop() }
        switch await work.value {
        case .success(let explanation):
            var summary = SyncSummary()
            if let failure = explanation.failure { summary.count(.sourceFailed(source: source.name, failure)) }
            let status = status(of: summary, signals.received)
            print(explanation, of: source, status, settings)
            return status
        case .failure(let failure):
            console.say("dlsync: \(failure.message).")
            return ExitStatus(failure)
        }
    }

    private func print(
        _ explanation: ListingExplanation, of source: Source, _ status: ExitStatus, _ settings: Settings
    ) {
        let isJSON = settings.printsJSON
        for link in explanation.links {
            console.print(isJSON ? ExplanationRendering.json(link) : ExplanationRendering.text(link))
        }
        for (origin, failure) in explanation.problems {
            console.say(OutcomeRendering.problem(origin, failure))
            if isJSON { console.print(PlanRendering.json(origin, failure)) }
        }
        if let failure = explanation.failure {
            console.say(OutcomeRendering.sourceFailed(source.name, failure))
            if isJSON { console.print(PlanRendering.json(source: source.name, failure)) }
        }
        if isJSON { console.print(ExplanationRendering.json(explanation, status: status)) }
    }
}
