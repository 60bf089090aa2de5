/// The place of a file below the destination, as bytes: one or more components joined by `/`.
///
/// A value of this type is safe to walk: no component is empty, `.` or `..`, none holds a NUL, and the path is not
/// absolute. Names are bytes on Linux, so that two names which only look alike (NFC and NFD) stay two names; a
/// `String` would compare them as equal.
public struct RelativePath: Hashable, Sendable {
    /// The path's bytes.
    public let bytes: [UInt8]

    /// Why bytes are no safe relative path.
    public enum Fault: Error, Hashable, Sendable {
        /// There is no name at all.
        case empty
        /// The path starts with `/`.
        case absolute
        /// A component is `.` or `..`.
        case dots
        /// A component is empty, as between two slashes or behind a last one.
        case emptyComponent
        /// A NUL byte, which no file name can hold.
        case nul
        /// A component of more than 255 bytes, or a path of more than 4,000.
        case tooLong
    }

    /// Checks bytes and takes them as they are.
    public init(bytes: [UInt8]) throws(Fault) {
        guard let first = bytes.first else { throw .empty }
        guard first != UInt8(ascii: "/") else { throw .absolute }
        guard !bytes.contains(0) else { throw .nul }
        guard bytes.count <= 4000 else { throw .tooLong }
        for component in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !component.isEmpty else { throw .emptyComponent }
            guard component.count <= 255 else { throw .tooLong }
            guard !component.elementsEqual([0x2E]), !component.elementsEqual([0x2E, 0x2E]) else { throw .dots }
        }
        self.bytes = bytes
    }

    /// Checks a text and takes its UTF-8 bytes.
    public init(_ text: String) throws(Fault) { try self.init(bytes: Array(text.utf8)) }

    /// The components from the first directory to the file's own name.
    public var components: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }

    /// The file's own name, without its directories.
    public var name: ArraySlice<UInt8> {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes[...] }
        return bytes[(slash + 1)...]
    }

    /// The directory that the file lies in; nil right below the destination.
    public var parent: RelativePath? {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return RelativePath(proven: Array(bytes[..<slash]))
    }

    private init(proven bytes: [UInt8]) { self.bytes = bytes }
}

extension RelativePath: CustomStringConvertible {
    /// The path as text, with U+FFFD for what is not UTF-8. For people; ``bytes`` are the path.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension RelativePath.Fault: CustomStringConvertible {
    /// The fault in words that complete "the path …".
    public var description: String {
        switch self {
        case .empty: "names no file"
        case .absolute: "is absolute"
        case .dots: "holds a '.' or '..' component"
        case .emptyComponent: "holds an empty component"
        case .nul: "holds a NUL byte"
        case .tooLong: "is too long for a file system"
        }
    }
}
