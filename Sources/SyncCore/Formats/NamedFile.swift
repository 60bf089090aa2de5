/// Where a file lies that a document calls by its bare name: below the destination, and on the server.
package struct NamedFile: Hashable, Sendable {
    /// The path as raw bytes, without what only repeats the directory (`./`, `//`).
    package var path: [UInt8]
    /// The address: the base's directory and the name, percent-encoded.
    package var url: WebURL

    /// Why a name is none that can be taken.
    package enum Fault: Error, Hashable, Sendable {
        case empty
        case directory
        case absolute
        case leavesBase
        case network
        case nul
        case unresolvable
    }

    /// Finds the place of a name. The name is literal: `%41` is three characters, and a backslash is one.
    ///
    /// - Parameters:
    ///   - name: The name as the document has it, with `/` between directories.
    ///   - base: What names are relative to; its last segment, if it has one, is the document itself.
    package init(_ name: ArraySlice<UInt8>, below base: WebURL) throws(Fault) {
        guard !name.isEmpty else { throw .empty }
        guard !name.contains(0) else { throw .nul }
        guard name.first != UInt8(ascii: "/"), !Self.isDrivePath(name) else { throw .absolute }
        guard !name.starts(with: "\\\\".utf8) else { throw .network }
        guard name.last != UInt8(ascii: "/") else { throw .directory }
        var path: [UInt8] = []
        var reference: [UInt8] = []
        for segment in Parts(of: name, separatedBy: UInt8(ascii: "/")) {
            if segment.elementsEqual(".".utf8) { continue }
            guard !segment.elementsEqual("..".utf8) else { throw .leavesBase }
            if !path.isEmpty {
                path.append(UInt8(ascii: "/"))
                reference.append(UInt8(ascii: "/"))
            }
            path.append(contentsOf: segment)
            reference.append(contentsOf: percentEncodedSegment(segment))
        }
        guard !path.isEmpty else { throw .directory }
        guard let url = base.resolve(bytes: reference[...]), url.scheme == "http" || url.scheme == "https" else {
            throw .unresolvable
        }
        self.path = path
        self.url = url
    }

    /// `C:\` and what follows: absolute where the list was made.
    private static func isDrivePath(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count >= 3, let first = name.first, isLetter(first) else { return false }
        return name.dropFirst().starts(with: ":\\".utf8)
    }
}

extension NamedFile.Fault {
    /// The fault as a sentence about a name, with its cure.
    package func message(_ name: ArraySlice<UInt8>) -> String {
        switch self {
        case .empty: "the line names no file"
        case .directory: "\(quoted(name)) is a directory and no file; delete the line"
        case .absolute: "the name \(quoted(name)) is absolute; make it relative to the list"
        case .leavesBase: "the name \(quoted(name)) leads out of the list's directory; only names below it are read"
        case .network: "the name \(quoted(name)) is a Windows network path; make it relative to the list"
        case .nul: "the line holds a NUL byte; save the list as UTF-8, or as UTF-16 with a byte order mark"
        case .unresolvable: "the name \(quoted(name)) makes no valid http or https address with the base"
        }
    }
}

extension ManifestContext {
    /// The base that a document of bare names needs.
    ///
    /// - Throws: ``ManifestError`` where there is none, as for a file on disk.
    func requireBase() throws(ManifestError) -> WebURL {
        guard let baseURL else {
            throw ManifestError(
                "\(sourceName) names files without their addresses; say with --base-url where its names begin")
        }
        return baseURL
    }

    /// A path below the document's own directory.
    func placed(_ path: [UInt8]) -> [UInt8] {
        directory.isEmpty ? path : directory + [UInt8(ascii: "/")] + path
    }

    /// The document's own name: the last segment of its address, or of its file's path.
    var documentName: [UInt8] {
        if let url = WebURL(sourceName), !url.lastPathSegment.isEmpty { return url.lastPathSegment }
        let isNameless = ["", "-", "standard input"].contains(sourceName) || WebURL(sourceName) != nil
        let file = sourceName.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) }
        return (isNameless ? baseURL?.lastPathSegment : file) ?? []
    }
}
