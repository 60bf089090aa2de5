/// A field of Debian's control files (deb822(5)) that says something of files. Names are matched without regard to case.
enum DebianField: Hashable {
    /// A package's path from the archive's root.
    case filename
    /// A source package's directory from the archive's root.
    case directory
    case size
    /// A digest of the package, or a list of files with digest and size.
    case digest(DigestAlgorithm)
    /// A list of a source package's files with MD5 digest and size; in a `.changes` file section and priority follow.
    case files

    init?(_ name: ArraySlice<UInt8>) {
        switch String(decoding: asciiLowercase(name), as: UTF8.self) {
        case "filename": self = .filename
        case "directory": self = .directory
        case "size": self = .size
        case "md5sum": self = .digest(.md5)
        case "sha1", "checksums-sha1": self = .digest(.sha1)
        case "sha256", "checksums-sha256": self = .digest(.sha256)
        case "sha512", "checksums-sha512": self = .digest(.sha512)
        case "files": self = .files
        default: return nil
        }
    }

    /// What the first field of an index may be called, besides those above: for recognising one.
    static let firstFields: Set<String> = [
        "acquire-by-hash", "architecture", "architectures", "archive", "binary", "changelogs", "codename", "components",
        "date", "format", "label", "notautomatic", "butautomaticupgrades", "origin", "package",
        "signed-by",
        "source", "suite", "valid-until",
    ]
}

/// A row of a list of files: digest, size and name.
struct DebianFileRow {
    var digest: ArraySlice<UInt8>
    var size: Int64
    var name: ArraySlice<UInt8>

    /// Reads a row; nil where it has no three words or no size. In a `.changes` file the last of five words is the name.
    init?(_ line: ArraySlice<UInt8>) {
        var words: [ArraySlice<UInt8>] = []
        for word in Parts(of: trimmed(line), separatedBy: 0x20) {
            words.append(word)
            if words.count > 5 { return nil }
        }
        guard words.count == 3 || words.count == 5, let size = decimalValue(words[1]), let name = words.last else {
            return nil
        }
        digest = words[0]
        self.size = size
        self.name = name
    }
}
