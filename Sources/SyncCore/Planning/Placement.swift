/// Gives every entry its place below the destination.
///
/// - A suggestion of the source (`out=`, `dir=`, the path below a listing) comes first. One that ends in a slash is a
///   directory: the URL's own name follows it.
/// - Without one, the name is the URL's last path segment, percent-decoded once. An encoded slash makes no directory:
///   it stays `%2F` in the name. Behind a last slash the name is `index.html`, as wget, aria2 and browsers have it.
/// - ``Layout/host`` takes the place of a suggestion that only repeats the URL's own end, as a listing's does; another
///   one was chosen by somebody, and stands. ``Layout/flat`` takes the name of whatever path there is.
public struct Placement: Hashable, Sendable {
    /// How the destination's tree follows from what the sources name (`--layout`).
    public enum Layout: String, CaseIterable, Hashable, Sendable {
        /// A listing's files by their path below the listing, a plain list's by their name.
        case tree
        /// Every file below its host and its URL's directories, as in `example.org/pub/file`.
        case host
        /// Every file by its name alone.
        case flat
    }

    /// The layout.
    public var layout: Layout
    /// How many directories are left out, counted from the first (`--cut-dirs`). A host's own directory is not counted,
    /// and the name always stays.
    public var directoriesToCut: Int

    /// The rules of a layout.
    public init(layout: Layout = .tree, directoriesToCut: Int = 0) {
        self.layout = layout
        self.directoriesToCut = directoriesToCut
    }

    /// The entry's place.
    ///
    /// - Throws: A failure of code ``Failure/Code/unsafePath`` where the path would leave the destination or cannot
    ///   exist, and where it would lie in dlsync's own state directory.
    public func path(of entry: Entry) throws(Failure) -> RelativePath {
        guard let url = entry.urls.first else { throw Failure(.unsafePath, "the entry has no URL") }
        let bytes = placedBytes(entry, url)
        let path: RelativePath
        do {
            path = try RelativePath(bytes: bytes)
        } catch {
            throw Failure(
                .unsafePath,
                "the path '\(readable(bytes))' of \(url.redacted) \(error); give the entry another with out=")
        }
        guard !Self.liesInState(path) else {
            throw Failure(
                .unsafePath,
                "the path '\(readable(bytes))' of \(url.redacted) lies in dlsync's own directory; "
                    + "give the entry another with out=")
        }
        return path
    }

    private func placedBytes(_ entry: Entry, _ url: WebURL) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard var suggested = entry.suggestedPath, !suggested.isEmpty else {
            let name = nameInURL(url)
            return layout == .host ? hostPath(url) : name
        }
        if suggested.last == slash { suggested += nameInURL(url) }
        switch layout {
        case .tree: return cut(suggested, directories: directoriesToCut)
        case .host:
            return repeatsEnd(of: url, suggested) ? hostPath(url) : cut(suggested, directories: directoriesToCut)
        case .flat: return cut(suggested, directories: .max)
        }
    }

    /// The last path segment as a file's name.
    private func nameInURL(_ url: WebURL) -> [UInt8] {
        let path = url.pathBytes
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.startIndex
        return start < path.endIndex ? Self.component(path[start...]) : Self.indexName
    }

    /// The name of what a URL names that ends in a slash.
    package static let indexName = Array("index.html".utf8)

    /// Host and port, the directories that are not cut, and the name. Empty segments make no directories.
    private func hostPath(_ url: WebURL) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var components = url.pathBytes.split(separator: slash).map(Self.component)
        if components.isEmpty || url.pathBytes.last == slash { components.append(Self.indexName) }
        components.removeFirst(min(max(directoriesToCut, 0), components.count - 1))
        let host = Array(url.hostAndPort.utf8)
        return Array((host.isEmpty ? components : [host] + components).joined(separator: "/".utf8))
    }

    /// A path without its first directories.
    private func cut(_ path: [UInt8], directories: Int) -> [UInt8] {
        // What is unsafe must be seen as it is, and not be made to look safe by cutting.
        guard directories > 0, (try? RelativePath(bytes: path)) != nil else { return path }
        let components = path.split(separator: UInt8(ascii: "/"))
        return Array(components.dropFirst(min(directories, components.count - 1)).joined(separator: "/".utf8))
    }

    private func repeatsEnd(of url: WebURL, _ path: [UInt8]) -> Bool {
        let own = url.pathBytes.split(separator: UInt8(ascii: "/")).map { percentDecoded($0) }.joined(
            separator: "/".utf8)
        let end = Array(own)
        return end.count >= path.count && end.suffix(path.count).elementsEqual(path)
            && (end.count == path.count || end[end.count - path.count - 1] == UInt8(ascii: "/"))
    }

    /// A URL's segment as one component of a path: decoded once, with `%2F` for a slash.
    private static func component(_ segment: some Collection<UInt8>) -> [UInt8] {
        let decoded = percentDecoded(segment)
        guard decoded.contains(UInt8(ascii: "/")) else { return decoded }
        return decoded.flatMap { $0 == UInt8(ascii: "/") ? Array("%2F".utf8) : [$0] }
    }

    /// The first component is `.dlsync`, in any case: on a destination that folds case it would be the state's.
    private static func liesInState(_ path: RelativePath) -> Bool {
        let first = path.bytes.prefix { $0 != UInt8(ascii: "/") }
        return first.count == 7 && first.elementsEqual(".dlsync".utf8) { asciiLowercased($0) == $1 }
    }
}

/// A path for a message: as text, without what would disturb a terminal, and not longer than a line or two.
private func readable(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.prefix(200), as: UTF8.self).unicodeScalars.map { scalar -> String in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: "\\u{\(String(scalar.value, radix: 16))}"
        default: String(Character(scalar))
        }
    }
    return text.joined() + (bytes.count > 200 ? "…" : "")
}
