/// A field that a request carries in addition to dlsync's own, as a manifest or the command line gives it.
public struct HeaderField: Hashable, Sendable {
    /// The field's name.
    public let name: String
    /// The field's value.
    public let value: String

    /// A field of a name and a value that were checked by ``init(line:)``, or are constants.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Reads `Name: value`. Nil where the name is no token (RFC 9110 §5.6.2) or the value holds a control character, so
    /// that no manifest can smuggle a second field or a second request in.
    public init?(line: String) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = String(line[..<colon])
        let value = line[line.utf8.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else { return nil }
        guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else { return nil }
        self.init(name: name, value: String(value))
    }
}

/// Whether a byte may stand in a field name (RFC 9110 §5.6.2).
package func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// What a source says of a file's size.
public enum SizeKnowledge: Hashable, Sendable {
    /// Nothing.
    case unknown
    /// The exact number of bytes.
    case exact(Int64)
    /// A rounded or cut number, such as "1.2M": the size lies between these bounds, both included.
    case within(ClosedRange<Int64>)
    /// A number that sources of its kind often get wrong, such as the length in a podcast's feed. It serves to estimate,
    /// and is never held against a file.
    case claimed(Int64)

    /// What an index page of a server says, who may make a file only when it is asked for: no bytes are a hint there.
    package var inIndex: SizeKnowledge { self == .exact(0) ? .claimed(0) : self }

    /// Whether a file of this many bytes agrees with what is known.
    public func allows(_ size: Int64) -> Bool {
        switch self {
        case .unknown, .claimed: true
        case .exact(let exact): exact == size
        case .within(let bounds): bounds.contains(size)
        }
    }
}

/// Where an entry was named: for messages, so that a person can mend the line.
public struct EntryOrigin: Hashable, Sendable {
    /// The source as the user or its parent listing named it: a file's path, `-`, or a URL without credentials.
    public var source: String
    /// The line, counted from 1; nil where the format has none.
    public var line: Int?

    /// A place in a source.
    public init(source: String, line: Int? = nil) {
        self.source = source
        self.line = line
    }
}

extension EntryOrigin: CustomStringConvertible {
    /// The place as in `list.txt:12`.
    public var description: String { line.map { "\(source):\($0)" } ?? source }
}

/// One wanted file, as a source names it.
public struct Entry: Hashable, Sendable {
    /// Where it can be had: the first is asked first, the others are mirrors of it. Never empty.
    public var urls: [WebURL]
    /// The place that the source asks for (`out=`, `dir=`, the path below a listing); nil leaves it to the layout. Raw
    /// bytes: whether they are safe is decided when the entry is placed.
    public var suggestedPath: [UInt8]?
    /// Its size.
    public var size: SizeKnowledge
    /// Its date in the listing.
    public var modified: ListedDate?
    /// Its digests, in the source's order.
    public var digests: [Digest]
    /// A digest that is likely the file's but may be that of something else, such as an entity tag of 32 hexadecimal
    /// digits. A file that has it is the right one; a file that has not may be right all the same.
    public var guessedDigest: Digest?
    /// Digests of the file's parts.
    public var pieces: PieceDigests?
    /// Whether the source brings a signature of the file. None is checked.
    public var isSigned: Bool
    /// Fields to send to the origin of the first URL only.
    public var headers: [HeaderField]
    /// Where it was named.
    public var origin: EntryOrigin

    /// An entry; everything that the source does not say may be left out.
    public init(
        urls: [WebURL], suggestedPath: [UInt8]? = nil, size: SizeKnowledge = .unknown, modified: ListedDate? = nil,
        digests: [Digest] = [], guessedDigest: Digest? = nil, pieces: PieceDigests? = nil, isSigned: Bool = false,
        headers: [HeaderField] = [], origin: EntryOrigin
    ) {
        precondition(!urls.isEmpty, "an entry has a URL")
        self.urls = urls
        self.suggestedPath = suggestedPath
        self.size = size
        self.modified = modified
        self.digests = digests
        self.guessedDigest = guessedDigest
        self.pieces = pieces
        self.isSigned = isSigned
        self.headers = headers
        self.origin = origin
    }

    /// The strongest digest that the source gives.
    public var strongestDigest: Digest? { digests.max { $0.algorithm < $1.algorithm } }
}
