/// A digest algorithm that a manifest can name, weakest first.
///
/// Sums that only find accidents of a line (CRC-32, Adler-32) are none: a file is never taken for right by one of them.
public enum DigestAlgorithm: String, CaseIterable, Comparable, Hashable, Sendable {
    case md5
    case sha1 = "sha-1"
    case sha224 = "sha-224"
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case blake2b = "blake2b-512"
    case sha512 = "sha-512"

    /// Recognises the names in use (`sha256`, `SHA-256`, `sha_256`, `SHA2-256`), without regard to case.
    public init?(name: String) {
        switch name.lowercased().filter({ $0 != "-" && $0 != "_" }) {
        case "md5": self = .md5
        case "sha1", "sha": self = .sha1
        case "sha224", "sha2224": self = .sha224
        case "sha256", "sha2256": self = .sha256
        case "sha384", "sha2384": self = .sha384
        case "sha512", "sha2512": self = .sha512
        case "blake2b", "blake2b512": self = .blake2b
        default: return nil
        }
    }

    /// How many bytes a digest has.
    public var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512, .blake2b: 64
        }
    }

    /// Whether the left algorithm is weaker than the right.
    public static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool {
        (left.byteCount, left.rawValue) < (right.byteCount, right.rawValue)
    }
}

/// A digest of a whole representation, as a manifest gives it or as it was computed.
public struct Digest: Hashable, Sendable {
    /// How it is computed.
    public let algorithm: DigestAlgorithm
    /// Its bytes, as many as the algorithm gives.
    public let bytes: [UInt8]

    /// A digest of the right length; nil for another.
    public init?(_ algorithm: DigestAlgorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// A digest from hexadecimal digits of either case; nil for a wrong digit or length.
    public init?(_ algorithm: DigestAlgorithm, hex: String) { self.init(algorithm, hex: Array(hex.utf8)[...]) }

    /// A digest from a document's hexadecimal digits, as ``init(_:hex:)``.
    package init?(_ algorithm: DigestAlgorithm, hex: ArraySlice<UInt8>) {
        guard hex.count == algorithm.byteCount &* 2 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(algorithm.byteCount)
        var index = hex.startIndex
        while index &+ 1 < hex.endIndex {
            guard let high = hexValue(hex[index]), let low = hexValue(hex[index &+ 1]) else { return nil }
            bytes.append(high << 4 | low)
            index &+= 2
        }
        self.init(algorithm, bytes: bytes)
    }

    /// The bytes as lower-case hexadecimal digits.
    public var hex: String { hexDigits(bytes) }
}

extension Digest: CustomStringConvertible {
    /// The digest as in `sha-256=9f86…`.
    public var description: String { "\(algorithm.rawValue)=\(hex)" }
}

/// The value of a hexadecimal digit; nil for any other byte.
package func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// Bytes as lower-case hexadecimal digits.
package func hexDigits(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
