// What a row says of its files.
extension TableReader {
    /// A fault of a row, as a sentence with its cure.
    struct RowFault: Error {
        var message: String
    }

    /// The cells of one group in a row.
    struct Cells {
        var row: TableRow

        func cell(_ index: Int?) -> ArraySlice<UInt8> {
            guard let index, index < row.fields.count else { return [] }
            let cell = trimmed(row.fields[index][...])
            return isNothing(cell) ? [] : cell
        }
    }

    /// A file that only its name tells, or its identifier.
    func named(
        _ group: TablePlan.Group, _ cells: Cells, _ plan: TablePlan, _ base: WebURL?
    ) throws(RowFault) -> [Entry] {
        let name = cells.cell(group.path ?? group.name)
        guard let base, !name.isEmpty else { return [] }
        var place: ArraySlice<UInt8> = name
        if case .identifiers(let column) = plan.kind { place = cells.cell(column) }
        do {
            var file = try NamedFile(place, below: base)
            if case .identifiers = plan.kind {
                file.path = try NamedFile((file.path + [UInt8(ascii: "/")] + name)[...], below: base).path
            }
            return [
                Entry(
                    urls: [file.url], suggestedPath: context.placed(file.path), size: try size(group, cells, nil),
                    modified: listedDate(whole: cells.cell(group.modified))?.date,
                    digests: try digests(group, cells, nil),
                    origin: EntryOrigin(source: context.sourceName, line: cells.row.line))
            ]
        } catch let error as NamedFile.Fault {
            throw RowFault(message: error.message(place))
        } catch let error as RowFault {
            throw error
        } catch {
            throw RowFault(message: "the row cannot be read")
        }
    }

    /// The path that a row asks for; nil where the URL's own name is to do.
    func path(
        _ group: TablePlan.Group, _ cells: Cells, _ url: WebURL, _ part: (index: Int, count: Int)?
    ) throws(RowFault) -> [UInt8]? {
        var name = cells.cell(group.path)
        if name.isEmpty {
            name = cells.cell(group.name)
            // It may be a title: a file's name ends like the URL's, if that has an ending.
            if let ending = Self.ending(url.lastPathSegment[...]), ending != Self.ending(name) { return nil }
        }
        if part != nil { name = try self.part(name, of: part, "names") }
        guard !name.isEmpty else { return nil }
        do {
            return try NamedFile(name, below: url).path
        } catch {
            throw RowFault(message: error.message(name))
        }
    }

    private static func ending(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex, name.endIndex - dot <= 8 else {
            return nil
        }
        return asciiLowercase(name[dot...])
    }

    /// A cell, or its part for one of several files: nothing for all, or as many parts as there are files.
    func part(
        _ cell: ArraySlice<UInt8>, of part: (index: Int, count: Int)?, _ what: String
    ) throws(RowFault) -> ArraySlice<UInt8> {
        guard let part, !cell.isEmpty else { return cell }
        var parts = cell.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(trimmed)
        if parts.count == part.count + 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count == part.count else {
            throw RowFault(message: "the row names \(part.count) files and \(parts.count) \(what)")
        }
        return parts[part.index]
    }

    func size(
        _ group: TablePlan.Group, _ cells: Cells, _ part: (index: Int, count: Int)?
    ) throws(RowFault) -> SizeKnowledge {
        let cell = try self.part(cells.cell(group.size), of: part, "sizes")
        guard !cell.isEmpty, !cell.elementsEqual("-1".utf8) else { return .unknown }
        guard let size = tableSize(cell) else { throw RowFault(message: "\(quoted(cell)) is no size in bytes") }
        return size
    }

    func digests(
        _ group: TablePlan.Group, _ cells: Cells, _ part: (index: Int, count: Int)?
    ) throws(RowFault) -> [Digest] {
        var digests: [Digest] = []
        for column in group.digests {
            let cell = try self.part(cells.cell(column.index), of: part, "digests")
            guard !cell.isEmpty else { continue }
            var algorithm = column.algorithm
            if algorithm == nil, let named = group.algorithm {
                let name = cells.cell(named)
                if !name.isEmpty {
                    guard case .known(let known) = ChecksumKind(tag: name) else { continue }
                    algorithm = known
                }
            }
            let (digest, isFault) = tableDigest(cell, algorithm)
            guard !isFault else {
                throw RowFault(
                    message: "\(quoted(cell)) is no \(algorithm.map { $0.rawValue + " " } ?? "")digest")
            }
            if let digest, !digests.contains(where: { $0.algorithm == digest.algorithm }) { digests.append(digest) }
        }
        return digests
    }
}
