/// A listing or manifest of a run, as a place: the number of its source on the command line, and its directory. Further
/// pages of a listing are the same place.
package struct ListingPlace: Hashable, Sendable {
    package var source: Int
    package var directory: [UInt8]

    package init(source: Int, directory: [UInt8] = []) {
        self.source = source
        self.directory = directory
    }

    /// The place of the listing above this one; nil of a source.
    package var parent: ListingPlace? {
        guard !directory.isEmpty else { return nil }
        let end = directory.lastIndex(of: UInt8(ascii: "/")) ?? 0
        return ListingPlace(source: source, directory: Array(directory[..<end]))
    }
}
