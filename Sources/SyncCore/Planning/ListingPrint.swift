/// What tells one listing from another by what it says, wherever it stands: whether two say the same.
///
/// A server that answers every directory with the same page, and a link that leads back to a directory above it, make trees
/// without an end. Each page of them has a URL of its own, so only what the pages say gives them away.
package struct ListingPrint: Hashable, Sendable {
    private let bytes: UInt64
    private let rows: Int
    /// Whether any row tells a size or a date.
    private let hasMetadata: Bool

    /// How many of the listings above this one must say the same before it is taken for one of them.
    ///
    /// An honest tree may repeat itself: directories named by the digits of a hash have the same names at every level. The
    /// less a page shows, the more often it has to come; most pages show their own path, and then no two are alike by byte.
    private func isEnough(sameBytes: Int, sameRows: Int) -> Bool {
        hasMetadata ? sameBytes >= 1 || sameRows >= 3 : sameBytes >= 2 || sameRows >= 5
    }

    /// Whether this listing is one of those above it, told once more.
    ///
    /// - Parameter ancestors: The listings on the way to this one.
    package func repeats(_ ancestors: [ListingPrint]) -> Bool {
        let alike = ancestors.filter { $0.rows == rows }
        return isEnough(sameBytes: alike.count { $0.bytes == bytes }, sameRows: alike.count)
    }

    /// Takes a listing's bytes and rows as they come, and makes its print.
    package struct Maker: Sendable {
        /// The directory that the listing has below its source.
        private let directory: [UInt8]
        /// FNV-1a over all bytes. They count only beside the rows, whose sum nobody can aim at.
        private var bytes: UInt64 = 0xCBF2_9CE4_8422_2325
        private var rows = Hasher()
        private var hasMetadata = false

        /// - Parameter directory: The directory that the listing has below its source.
        package init(directory: [UInt8]) { self.directory = directory }

        /// Takes the next bytes.
        package mutating func take(_ piece: [UInt8]) {
            for byte in piece { bytes = (bytes ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }

        /// Takes the next row.
        package mutating func take(_ item: ManifestItem) {
            switch item {
            case .entry(let entry):
                rows.combine(0)
                combine(entry.suggestedPath, entry.urls.first)
                rows.combine(entry.size)
                combine(entry.modified)
                rows.combine(entry.digests)
                if entry.size != .unknown { hasMetadata = true }
            case .listing(let listing):
                rows.combine(1)
                combine(listing.path, listing.url)
                combine(listing.modified)
            case .nextPage, .explained, .problem: break
            }
        }

        /// What a row names, as it stands below its listing. One without a place of its own is told by its URL.
        private mutating func combine(_ path: [UInt8]?, _ url: WebURL?) {
            let depth = directory.isEmpty ? 0 : directory.count + 1
            guard let path, path.count > depth, path.starts(with: directory) else { return rows.combine(url) }
            rows.combine(path[depth...])
        }

        private mutating func combine(_ date: ListedDate?) {
            rows.combine(date)
            if date != nil { hasMetadata = true }
        }

        /// The print of all that was taken.
        package func finished() -> ListingPrint {
            ListingPrint(bytes: bytes, rows: rows.finalize(), hasMetadata: hasMetadata)
        }
    }
}
