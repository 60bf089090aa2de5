internal import Glibc
internal import SyncCore
internal import Synchronization

/// Notes which source names which path, and how far each of them was read: what is unknown of a place, nobody may take
/// for gone.
final class Ownership: Sendable {
    private struct Knowledge {
        var listings: [ListingPlace: StateStore.KnownListing] = [:]
        /// How many rows the listings had that were read to their end.
        var rows: [ListingPlace: Int] = [:]
        /// The places below which something may be named that this run did not see.
        var shielded: Set<ListingPlace> = []
        /// Whether something was shielded as it could not be read or used.
        var hasFailed = false
        var failure: Failure?
    }

    let run: Int64
    private let state: StateStore
    private let names: [String]
    private let knowledge = Mutex(Knowledge())

    /// - Parameter run: The number of this run, which is higher than that of all runs before it.
    init(sources: [Source], state: StateStore, run: Int64) {
        names = sources.map(\.identity)
        self.state = state
        self.run = run
    }

    // MARK: While sources are read

    /// Notes that a listing names paths, and which of them are wanted.
    func note(wanted: [RelativePath], unwanted: [RelativePath], by place: ListingPlace) {
        do throws(StateError) {
            try state.note(wanted: wanted, unwanted: unwanted, namedBy: try listing(place), run: run)
        } catch {
            // What could not be noted would count as gone.
            knowledge.withLock { $0.failure = $0.failure ?? error.failure }
        }
    }

    private func listing(_ place: ListingPlace) throws(StateError) -> StateStore.KnownListing {
        if let known = knowledge.withLock({ $0.listings[place] }) { return known }
        let listing = try state.listing(of: names[place.source], directory: place.directory)
        knowledge.withLock { $0.listings[place] = listing }
        return listing
    }

    /// Notes that a document of a listing was read to its end, and how many rows it had.
    func read(_ place: ListingPlace, rows: Int) {
        do throws(StateError) {
            _ = try listing(place)
        } catch {
            knowledge.withLock { $0.failure = $0.failure ?? error.failure }
        }
        knowledge.withLock { $0.rows[place, default: 0] += rows }
    }

    /// Notes that something below a place may be named that this run does not see: it could not be read to its end, has
    /// rows that could not be used, or is not followed.
    ///
    /// - Parameter isFailure: Whether it is so against the user's will.
    func shield(_ place: ListingPlace, isFailure: Bool) {
        knowledge.withLock { knowledge in
            knowledge.shielded.insert(place)
            knowledge.hasFailed = knowledge.hasFailed || isFailure
        }
    }

    // MARK: When all was read

    /// What the reading came to.
    struct Account: Sendable {
        /// The numbers of the run's sources in the state.
        var sources: [Int64] = []
        /// Listings that had rows and have none now, as a person would name them, with how many they had.
        var emptied: [(name: String, rows: Int)] = []
        /// How many files are of listings that this run does not know well enough.
        var unknown = 0
        /// The directories below which something is unknown.
        var shielded: Set<[UInt8]> = []
        /// Whether something could not be read or used.
        var hasFailed = false
    }

    /// Sums the reading up, and notes in the state of which listings all is known.
    ///
    /// - Parameter acceptsEmpty: Whether a listing that had rows and has none now is believed.
    func settle(acceptsEmpty: Bool) throws(Failure) -> Account {
        let knowledge = knowledge.withLock { $0 }
        if let failure = knowledge.failure { throw failure }
        var account = Account()
        account.hasFailed = knowledge.hasFailed
        account.shielded = Set(knowledge.shielded.map(\.directory))
        do throws(StateError) {
            for (index, name) in names.enumerated() where !names[..<index].contains(name) {
                // A source that is named twice is known only as far as both were read.
                let same = names.indices.filter { names[$0] == name }
                let number = try state.listing(of: name, directory: []).source
                account.sources.append(number)
                let emptied = try state.settle(source: number, run: run, acceptsEmpty: acceptsEmpty) { directory in
                    let rows = same.compactMap { knowledge.rows[ListingPlace(source: $0, directory: directory)] }
                    let isKnown = !same.contains { Self.isShielded(directory, of: $0, by: knowledge.shielded) }
                    return StateStore.ListingKnowledge(
                        isKnown: isKnown, rows: rows.isEmpty ? nil : rows.reduce(0, +))
                }
                for listing in emptied {
                    let directory = String(decoding: listing.directory, as: UTF8.self)
                    account.emptied.append(
                        (directory.isEmpty ? name : "the listing '\(directory)/' of \(name)", listing.rows))
                }
            }
            account.unknown = try state.unknownFiles(of: account.sources, run: run)
        } catch {
            throw error.failure
        }
        return account
    }

    /// Whether a directory or one above it is among the places.
    private static func isShielded(_ directory: [UInt8], of source: Int, by places: Set<ListingPlace>) -> Bool {
        guard !places.isEmpty else { return false }
        return lines(of: directory).contains { places.contains(ListingPlace(source: source, directory: Array($0))) }
    }

    /// A directory and all those above it, the topmost (empty) included.
    static func lines(of directory: [UInt8]) -> [ArraySlice<UInt8>] {
        let ends = directory.indices.filter { directory[$0] == UInt8(ascii: "/") }
        return [directory[..<0]] + ends.map { directory[..<$0] } + [directory[...]]
    }
}

extension Source {
    /// What tells a source from others in later runs: a URL without its volatile parts, a file's full path, or `-`.
    var identity: String {
        switch self {
        case .url(let url): return url.resourceIdentity
        case .standardInput: return "-"
        case .file(let path):
            guard let full = realpath(path, nil) else { return path }
            defer { free(full) }
            return String(cString: full)
        }
    }
}
