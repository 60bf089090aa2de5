import SyncCore

/// What a row of a listing says of its file.
struct RowMetadata {
    var size: SizeKnowledge = .unknown
    var modified: ListedDate?
    var digests: [Digest] = []
    /// Whether anything was recognised, be it only the mark for no size.
    var isFound = false

    /// Nothing.
    init() {}

    /// Reads the text behind a link: date, then size, as nginx and Apache have it, or size, then date.
    init(behind text: [UInt8], isPreformatted: Bool) {
        let text = Self.plain(text)
        if let date = findListedDate(in: text[...]) {
            isFound = true
            modified = date.date
            let size =
                ListedSize(startOf: text[date.range.upperBound...])
                ?? ListedSize(whole: text[..<date.range.lowerBound])
            if let size { self.size = size.size }
            return
        }
        guard let size = ListedSize(startOf: text[...]) else { return }
        let rest = text[size.end...]
        let isAlone = trimmed(rest).isEmpty || rest.starts(with: "  ".utf8)
        // A bare number outside a column may count anything.
        guard isAlone, size.hasUnit || isPreformatted else { return }
        isFound = true
        self.size = size.size
    }

    /// Reads the text in front of a link: date, then size at its end, as IIS and "ls -l" have it.
    init(inFrontOf text: [UInt8]) {
        let text = Self.plain(text)
        if let date = findListedDate(in: text[...]) {
            modified = date.date
            if let size = ListedSize(whole: text[date.range.upperBound...]) {
                isFound = true
                self.size = size.size
                return
            }
            // A day alone may stand in any text.
            isFound = date.date?.hasTime == true
        }
        // "34 B" at the end.
        let words = text.split(separator: 0x20)
        if words.count >= 2, let size = ListedSize(whole: text[words[words.count - 2].startIndex...]), size.hasUnit {
            isFound = true
            self.size = size.size
        }
    }

    /// Reads the cells of a table's row, whose headings may have told what some of them hold.
    init(cells: [RowCell], columns: RowColumns) {
        digests = columns.digests.compactMap { column in
            guard cells.indices.contains(column.index) else { return nil }
            let text = trimmed(Self.plain(cells[column.index].text)[...])
            return Digest(column.algorithm, hex: String(decoding: text, as: UTF8.self))
        }
        let dates = cells.lazy.compactMap(\.date)
        modified = dates.first(where: \.hasTime) ?? dates.first
        let dated = modified?.hasTime == true
        if let column = columns.size, cells.indices.contains(column), let size = cells[column].size {
            self.size = size.size
            isFound = true
            return
        }
        isFound = dated
        // A number with a unit is a size in any column, a bare one may count anything: it needs a date beside it.
        let sizes = cells.compactMap(\.size).filter { $0.size != .unknown && ($0.hasUnit || dated) }
        guard let size = sizes.first(where: \.hasUnit) ?? sizes.first else { return }
        self.size = size.size
        isFound = true
    }

    /// The text with every kind of blank as a plain one.
    static func plain(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            switch text[index] {
            case 0x09, 0x0A, 0x0D: output.append(0x20)
            case 0xC2 where index + 1 < text.count && text[index + 1] == 0xA0:
                output.append(0x20)
                index += 1
            default: output.append(text[index])
            }
            index += 1
        }
        return output
    }
}

/// What the headings of a table tell of its columns.
struct RowColumns {
    /// The column of sizes.
    private(set) var size: Int?
    /// The columns of digests.
    private(set) var digests: [(index: Int, algorithm: DigestAlgorithm)] = []

    /// Looks at a row that may be one of headings.
    mutating func learn(from cells: [RowCell]) {
        if let index = cells.firstIndex(where: \.namesSize) { size = index }
        let named = cells.enumerated().compactMap { index, cell in
            cell.namedDigest.map { (index: index, algorithm: $0) }
        }
        if !named.isEmpty { digests = named }
    }
}

/// A cell of a table's row.
struct RowCell {
    /// The text outside of links.
    var text: [UInt8] = []
    /// The text with that of links.
    var fullText: [UInt8] = []
    /// The value that a script sorts by (`data-order` and kin), often the exact number behind a rounded one.
    var sortValue: [UInt8]?
    /// The date of a `<time>` element.
    var dateTime: [UInt8]?

    /// The cell's date if it holds nothing else.
    var date: ListedDate? {
        if let dateTime, let date = listedDate(whole: RowMetadata.plain(dateTime)[...])?.date { return date }
        return listedDate(whole: RowMetadata.plain(text)[...])?.date
    }

    /// The cell's size if it holds nothing else; exact where the sort value agrees with what is shown.
    var size: ListedSize? {
        guard var size = ListedSize(whole: RowMetadata.plain(text)[...]) else { return nil }
        if case .within = size.size, let sortValue, let exact = decimalValue(trimmed(sortValue[...])),
            size.size.allows(exact)
        {
            size.size = .exact(exact)
        }
        return size
    }

    /// Whether the cell is the heading of a column of sizes.
    var namesSize: Bool {
        let text = asciiLowercase(trimmed(RowMetadata.plain(fullText)[...]))
        return ["size", "file size", "filesize"].contains { text.starts(with: $0.utf8) } && text.count < 32
    }

    /// The algorithm that the cell names as the heading of a column of digests: `MD5`, `SHA-256 sum`.
    var namedDigest: DigestAlgorithm? {
        var text = asciiLowercase(trimmed(RowMetadata.plain(fullText)[...]))
        for word in ["checksum", "digest", "hash", "sum"] where text.count < 32 && text.ends(with: word) {
            text.removeLast(word.utf8.count)
            break
        }
        return text.count < 32 ? DigestAlgorithm(name: String(decoding: trimmed(text[...]), as: UTF8.self)) : nil
    }
}

extension [UInt8] {
    fileprivate func ends(with word: String) -> Bool { suffix(word.utf8.count).elementsEqual(word.utf8) }
}
