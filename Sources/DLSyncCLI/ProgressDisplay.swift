internal import DLSync
internal import Synchronization

/// Shows a session's progress on standard error while something else runs.
struct ProgressDisplay {
    let console: Console
    let style: Settings.Progress

    private static let redrawInterval: Duration = .milliseconds(200)
    private static let plainInterval: Duration = .seconds(10)

    /// Runs `body` with the progress shown beside it.
    func around<Result: Sendable>(_ session: SyncSession, _ body: @Sendable () async -> Result) async -> Result {
        guard style == .bar || style == .plain else { return await body() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await show(session) }
            let result = await body()
            group.cancelAll()
            await group.waitForAll()
            if style == .bar { console.draw([]) }
            return result
        }
    }

    private func show(_ session: SyncSession) async {
        let interval = style == .bar ? Self.redrawInterval : Self.plainInterval
        while (try? await Task.sleep(for: interval)) != nil {
            let view = ProgressView(session.progress)
            if style == .bar {
                let (columns, rows) = console.size
                console.draw(ProgressRenderer(width: columns, height: rows).lines(view))
            } else {
                console.say(ProgressRenderer.plainLine(view))
            }
        }
    }
}

extension ProgressView {
    init(_ snapshot: ProgressSnapshot) {
        self.init(
            filesDone: snapshot.filesSettled, filesTotal: snapshot.isFoundComplete ? snapshot.filesFound : nil,
            bytesDone: snapshot.bytesReceived, bytesTotal: snapshot.bytesWanted > 0 ? snapshot.bytesWanted : nil,
            bytesPerSecond: snapshot.rate, timeLeft: snapshot.isFoundComplete ? snapshot.timeLeft : nil,
            failures: snapshot.filesFailed,
            active: snapshot.active.map { file in
                Active(
                    name: file.path.bytes, bytesDone: file.have, bytesTotal: file.size,
                    segments: max(1, file.transfers))
            })
    }
}
