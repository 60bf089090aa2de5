/// The algorithm of a checksum list's line, whether it can be computed here or not.
enum ChecksumKind: Hashable {
    case known(DigestAlgorithm)
    /// One that is not computed here; the line's file is wanted all the same.
    case other
    /// The tag's number is the file's size.
    case size

    /// The algorithm of a tag's name, as in `SHA2-256 (name) = …`; nil for a word that is no algorithm.
    init?(tag: ArraySlice<UInt8>) {
        let name = String(decoding: asciiLowercase(tag), as: UTF8.self)
        if let algorithm = DigestAlgorithm(name: name) {
            self = .known(algorithm)
        } else if name == "size" {
            self = .size
        } else if Self.others.contains(where: { name.hasPrefix($0) }) {
            self = .other
        } else {
            return nil
        }
    }

    /// The algorithm of a bare digest, by its number of hexadecimal digits; nil for a number that no digest has.
    init?(digits: Int, in list: ListAlgorithms) {
        switch digits {
        case 32: self = .known(.md5)
        case 40: self = .known(.sha1)
        case 56: self = .known(.sha224)
        case 64: self = .known(.sha256)
        case 96: self = .known(.sha384)
        case 128: self = .known(list == .blake2b ? .blake2b : .sha512)
        default: return nil
        }
        if list == .others { self = .other }
    }

    /// What the names of algorithms that are not computed here begin with.
    private static let others = [
        "adler32", "blake2", "blake3", "bsd", "cksum", "crc", "ed2k", "edon", "gost", "has-160", "haval", "ksha", "md4",
        "md2", "rmd", "ripemd", "sha3", "sha512-", "sha512/", "sha2-512/", "shake", "sm3", "skein", "snefru",
        "streebog",
        "tiger", "tth", "whirlpool", "xxh",
    ]
}

/// What a list's own name says of the algorithms in it, where digests of several have the same length.
enum ListAlgorithms: Hashable {
    case usual
    case blake2b
    /// Some that are not computed here.
    case others

    /// Reads a list's name, such as `B2SUMS`.
    init(listName: ArraySlice<UInt8>) {
        let name = String(decoding: asciiLowercase(listName.prefix(255)), as: UTF8.self)
        let others = ["sha3", "blake2s", "blake3", "b3sum", "rmd160", "ripemd", "sm3", "gost", "streebog", "whirlpool"]
        if others.contains(where: { name.contains($0) }) {
            self = .others
        } else if name.contains("b2sum") || name.contains("blake2") || name.hasSuffix(".b2") {
            self = .blake2b
        } else {
            self = .usual
        }
    }
}
