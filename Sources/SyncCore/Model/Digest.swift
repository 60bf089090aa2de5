/// A digest algorithm that a manifest can name, weakest first.
public enum DigestAlgorithm: String, CaseIterable, Comparable, Hashable, Sendable {
    case md5
    case sha1 = "sha-1"
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    /// Recognises the names in use (`sha256`, `SHA-256`, `sha_256`), without regard to case.
    public init?(name: String) {
        switch name.lowercased().filter({ $0 != "-" && $0 != "_" }) {
        case "md5": self = .md5
        case "sha1", "sha": self = .sha1
        case "sha256": self = .sha256
        case "sha512": self = .sha512
        default: return nil
        }
    }

    /// How many bytes a digest has.
    public var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// Whether the left algorithm is weaker than the right.
    public static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool { left.byteCount < right.byteCount }
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
    public init?(_ algorithm: DigestAlgorithm, hex: String) {
        let digits = hex.utf8.map(hexValue)
        guard digits.count == algorithm.byteCount * 2, !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        self.init(algorithm, bytes: stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] })
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
