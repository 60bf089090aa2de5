/// Which columns of a table make its files.
struct TablePlan: Hashable {
    /// The columns of one file, or of as many as a field holds; each an index into a row's fields.
    struct Group: Hashable {
        var address: Int?
        /// Whether addresses come without their scheme.
        var isBare = false
        var path: Int?
        var name: Int?
        var size: Int?
        var digests: [DigestColumn] = []
        var algorithm: Int?
        var modified: Int?

        /// Whether it says of its files what proves them.
        var describesFiles: Bool { size != nil || !digests.isEmpty }
    }

    struct DigestColumn: Hashable {
        var index: Int
        /// The algorithm; nil where the value or another column tells it.
        var algorithm: DigestAlgorithm?
    }

    /// How rows become files.
    enum Kind: Hashable {
        case general
        /// Google's list for transfers: address, size, MD5 in base64.
        case transferList
        /// The Genomic Data Commons' manifest: an address is made of the identifier in this column.
        case identifiers(Int)
    }

    var kind = Kind.general
    var groups: [Group]
    /// How many fields the header has.
    var width: Int

    /// What Google's list has for a header.
    static let transferListHeader = "TsvHttpData-1.0"

    /// Finds the columns; nil where no column holds addresses or names.
    init?(header: [[UInt8]]) {
        width = header.count
        if let first = header.first, first.elementsEqual(Self.transferListHeader.utf8),
            header.dropFirst().allSatisfy(\.isEmpty)
        {
            kind = .transferList
            width = 3
            groups = [Group(address: 0, size: 1, digests: [DigestColumn(index: 2, algorithm: .md5)])]
            return
        }
        let (names, found) = Self.collect(header)
        let plain = found[""] ?? Group()
        let withAddress = names.filter { found[$0]?.address != nil }
        let words = header.map { TableColumn.words($0[...]).joined(separator: "_") }
        if withAddress.isEmpty {
            if let id = words.firstIndex(of: "id"), Set(words).isSuperset(of: ["filename", "md5", "size", "state"]) {
                kind = .identifiers(id)
            }
            guard plain.path != nil || plain.name != nil else { return nil }
            groups = [plain]
            return
        }
        groups = Self.chosen(withAddress, found).compactMap { found[$0] }
        guard groups.count == 1 else { return }
        groups[0].fill(from: plain)
        // Digests that the archive has computed itself, as figshare says.
        for name in ["computed", "content", "file", "data"] where groups[0].digests.isEmpty {
            if let other = found[name], other.address == nil { groups[0].digests = other.digests }
        }
    }

    /// Whether a table is likely one of files: for recognising it.
    var isDistinct: Bool { kind != .general || groups.contains { $0.address != nil || $0.describesFiles } }

    private static func collect(_ header: [[UInt8]]) -> (names: [String], groups: [String: Group]) {
        var names: [String] = []
        var groups: [String: Group] = [:]
        for (index, name) in header.enumerated() {
            guard let column = TableColumn(name: name[...]) else { continue }
            if groups[column.group] == nil { names.append(column.group) }
            groups[column.group, default: Group()].add(column.kind, index)
        }
        return (names, groups)
    }

    /// The groups whose addresses are files: the plain one, and those with sizes or digests of their own. Where there are
    /// none of these, the one that sounds most like it: other addresses are those of pages about the files.
    private static func chosen(_ names: [String], _ groups: [String: Group]) -> [String] {
        let chosen = names.filter { $0.isEmpty || groups[$0]?.describesFiles == true }
        guard chosen.isEmpty else { return chosen }
        let preferred = ["download", "file_download", "file", "access", "direct", "public", "https", "http", "data"]
        let best = preferred.first { names.contains($0) } ?? names.first
        return best.map { [$0] } ?? []
    }
}

extension TablePlan.Group {
    /// Takes a column. The first of a kind counts.
    fileprivate mutating func add(_ kind: TableColumn.Kind, _ index: Int) {
        switch kind {
        case .address, .bareAddress:
            guard address == nil else { return }
            address = index
            isBare = kind == .bareAddress
        case .path: path = path ?? index
        case .name: name = name ?? index
        case .size: size = size ?? index
        case .digest(let algorithm): digests.append(.init(index: index, algorithm: algorithm))
        case .anyDigest: digests.append(.init(index: index, algorithm: nil))
        case .algorithm: algorithm = algorithm ?? index
        case .modified: modified = modified ?? index
        }
    }

    /// Takes what a group lacks from the plain columns.
    fileprivate mutating func fill(from plain: Self) {
        path = path ?? plain.path
        name = name ?? plain.name
        size = size ?? plain.size
        if digests.isEmpty {
            digests = plain.digests
            algorithm = algorithm ?? plain.algorithm
        }
        modified = modified ?? plain.modified
    }
}
