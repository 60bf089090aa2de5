internal import SyncCore
internal import Synchronization

/// Remembers where the listings of servers were read, and how, so that one can be read once more.
final class ListingRegister: Sendable {
    private let documents = Mutex<[ListingPlace: SourceReading.Document]>([:])

    /// Notes the first page of a listing.
    func note(_ document: SourceReading.Document) {
        documents.withLock { documents in
            if documents[document.place] == nil { documents[document.place] = document }
        }
    }

    /// The first page of a listing; nil of one that no server gave.
    func document(at place: ListingPlace) -> SourceReading.Document? { documents.withLock { $0[place] } }
}
