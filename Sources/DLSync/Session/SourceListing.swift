internal import SyncCore

/// Reads sources and tells what they yield, without a destination.
///
/// - Parameters:
///   - sources: What to read. Listings below a listing are read too, as deep as the configuration allows.
///   - configuration: How they are read; what is about comparing and storing files has no meaning here.
///   - body: What to do with the events: `.listed`, `.listing`, `.problem` and `.sourceFailed`. When it returns, reading
///     that still goes on ends.
/// - Throws: ``Failure`` where no transfer can be made at all; whatever `body` throws.
public func withSourceListing<Result: Sendable>(
    of sources: [Source], _ configuration: SyncConfiguration = SyncConfiguration(),
    _ body: @Sendable (SyncEvents) async throws -> Result
) async throws -> Result {
    let loop = try await TransferLoop.running(configuration.loop, progress: ProgressBoard())
    let events = EventQueue<SyncEvent>()
    let lister = EntryLister(sieve: EntrySieve(configuration), events: events)
    return try await withTaskCancellationHandler {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let reading = DigestReading(configuration: configuration, loop: loop)
                await reading.readSources(sources, taker: lister)
                events.finish()
            }
            let result = await Swift.Result { try await body(SyncEvents(queue: events)) }
            group.cancelAll()
            // A reader that waits for room must see that nobody reads any more.
            events.finish()
            await loop.stop()
            try await group.waitForAll()
            await loop.waitUntilStopped()
            return try result.get()
        }
    } onCancel: {
        loop.post { loop in loop.interruptAll() }
    }
}

/// Tells of entries as they come.
private struct EntryLister: EntryTaker {
    let sieve: EntrySieve
    let events: EventQueue<SyncEvent>

    func take(_ entries: [Entry], of place: ListingPlace) async {
        for entry in entries {
            do {
                let path = try sieve.placement.path(of: entry)
                if sieve.wants(entry, at: path) { events.push(.listed(entry, path)) }
            } catch {
                events.push(.problem(entry.origin, error))
            }
        }
        // A list may be longer than memory, and what prints it slower than what reads it.
        await events.waitForRoom()
    }

    func found(_ listing: SubListing) -> Bool {
        guard sieve.mayWant(below: listing) else { return false }
        events.push(.listing(listing))
        return true
    }

    func read(_ place: ListingPlace, rows: Int) {}
    func shield(_ place: ListingPlace, isFailure: Bool) {}
    func tell(_ event: SyncEvent) { events.push(event) }
}

extension Swift.Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
