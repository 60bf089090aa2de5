package import SyncCore

/// The bytes of a representation.
package enum Body: Sendable {
    /// The first `count` bytes of ``BytePattern`` of a seed; they are made while they are sent.
    case pattern(seed: UInt64, count: Int64)
    /// These bytes.
    case bytes([UInt8])

    /// The UTF-8 bytes of a text.
    package static func text(_ text: String) -> Body { .bytes(Array(text.utf8)) }

    /// How many bytes there are.
    package var count: Int64 {
        switch self {
        case .pattern(_, let count): count
        case .bytes(let bytes): Int64(bytes.count)
        }
    }

    /// The bytes of a range that lies within.
    package func bytes(in range: ByteRange) -> [UInt8] {
        switch self {
        case .pattern(let seed, _): TestSupport.pattern(seed: seed, range)
        case .bytes(let bytes): Array(bytes[Int(range.start)..<Int(range.end)])
        }
    }

    /// All bytes.
    package var allBytes: [UInt8] { bytes(in: ByteRange(0, count)) }
}

/// What a resource does with `Range`.
package enum RangeSupport: Sendable {
    /// 206, 416, and `Accept-Ranges: bytes`.
    case honoured
    /// `Accept-Ranges: bytes`, yet 200 to every range.
    case ignored
    /// No `Accept-Ranges`, and 200 to every range.
    case none
}

/// The entity tag of a resource. A literal is the field's value, quotes included: `"\"v1\""`, `"W/\"v1\""`; nil is none.
package enum ResourceTag: Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// A strong tag that differs when the body differs.
    case ofBody
    /// This value.
    case exactly(String)
    /// No tag.
    case none

    /// The tag of a literal value.
    package init(stringLiteral value: String) { self = .exactly(value) }
    /// No tag.
    package init(nilLiteral: ()) { self = .none }
}

/// What stands under a path of a ``FaultServer``.
package struct Resource: Sendable {
    /// Its bytes.
    package var body: Body
    /// The value of `ETag`; nil sends none.
    package var etag: String?
    /// The date of `Last-Modified` in seconds since 1970; nil sends none.
    package var lastModified: Int64?
    /// The value of `Content-Type`; nil sends none.
    package var contentType: String?
    /// What it does with ranges.
    package var ranges: RangeSupport
    /// Further fields of every answer that carries the representation (200, 206, 304).
    package var fields: [HeaderField]

    /// 2023-11-14T22:13:20Z, the date of a resource that names none.
    package static let ordinaryDate: Int64 = 1_700_000_000

    /// A resource that, unless told otherwise, is served as nginx serves a file.
    package init(
        _ body: Body, etag: ResourceTag = .ofBody, lastModified: Int64? = ordinaryDate,
        contentType: String? = "application/octet-stream", ranges: RangeSupport = .honoured, fields: [HeaderField] = []
    ) {
        self.body = body
        self.etag =
            switch etag {
            case .ofBody: Self.tag(of: body)
            case .exactly(let value): value
            case .none: nil
            }
        self.lastModified = lastModified
        self.contentType = contentType
        self.ranges = ranges
        self.fields = fields
    }

    /// A page of HTML.
    package static func html(_ page: String, etag: ResourceTag = .ofBody, lastModified: Int64? = ordinaryDate)
        -> Resource
    {
        Resource(.text(page), etag: etag, lastModified: lastModified, contentType: "text/html")
    }

    private static func tag(of body: Body) -> String {
        switch body {
        case .pattern(let seed, let count): return "\"pattern-\(seed)-\(count)\""
        case .bytes(let bytes):
            let sum = bytes.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { $0 = ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            return "\"\(String(sum, radix: 16))-\(bytes.count)\""
        }
    }
}
