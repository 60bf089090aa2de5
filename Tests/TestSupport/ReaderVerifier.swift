package import SyncCore

/// What a reader made of a document.
package struct Reading: Hashable, Sendable {
    /// The items in the order in which they came.
    package var items: [ManifestItem] = []
    /// Why the document could not be read to its end.
    package var error: ManifestError?

    package init() {}

    /// The files.
    package var entries: [Entry] {
        items.compactMap { if case .entry(let entry) = $0 { entry } else { nil } }
    }
    /// The listings below.
    package var listings: [SubListing] {
        items.compactMap { if case .listing(let listing) = $0 { listing } else { nil } }
    }
    /// Where the listing goes on.
    package var nextPages: [WebURL] {
        items.compactMap { if case .nextPage(let url) = $0 { url } else { nil } }
    }
    /// The problems.
    package var problems: [ManifestProblem] {
        items.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
    }
}

/// Reads documents in several ways of cutting them and makes sure that all give the same.
package struct ReaderVerifier {
    /// Two ways of cutting that gave different readings.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    private let makeReader: () -> any ManifestReader

    /// A verifier of the readers that a function makes, one for each reading.
    package init(_ makeReader: @escaping () -> any ManifestReader) { self.makeReader = makeReader }

    /// Reads a document whose bytes come in pieces.
    package func read(pieces: some Sequence<ArraySlice<UInt8>>) -> Reading {
        var reader = makeReader()
        var reading = Reading()
        do throws(ManifestError) {
            for piece in pieces { try reader.read(piece, into: &reading.items) }
            try reader.finish(into: &reading.items)
        } catch {
            reading.error = error
        }
        return reading
    }

    /// Reads a document whole, byte by byte, in uneven pieces and, if it is small, cut in two at every place.
    ///
    /// - Throws: ``Difference`` where two ways do not give the same items and the same error.
    package func read(_ bytes: [UInt8]) throws(Difference) -> Reading {
        let whole = read(pieces: [bytes[...]])
        try compare(whole, read(pieces: bytes.indices.lazy.map { bytes[$0...$0] }), "byte by byte")
        for length in [7, 64, 1021] where length < bytes.count {
            let starts = stride(from: 0, to: bytes.count, by: length)
            let pieces = starts.lazy.map { bytes[$0..<min($0 + length, bytes.count)] }
            try compare(whole, read(pieces: pieces), "in pieces of \(length) bytes")
        }
        if bytes.count <= 1200 {
            for cut in bytes.indices {
                try compare(whole, read(pieces: [bytes[..<cut], [], bytes[cut...]]), "cut at byte \(cut)")
            }
        }
        return whole
    }

    private func compare(_ whole: Reading, _ other: Reading, _ way: String) throws(Difference) {
        guard whole != other else { return }
        let index = zip(whole.items, other.items).enumerated().first { $1.0 != $1.1 }?.offset
        let place =
            index.map { "item \($0): \(whole.items[$0]) and \(other.items[$0])" } ?? "the number of items or the end"
        throw Difference(
            description: "\(way) gives another reading: \(whole.items.count) and \(other.items.count) items, "
                + "\(String(describing: whole.error)) and \(String(describing: other.error)), \(place)")
    }
}
