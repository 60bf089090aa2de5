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

    /// The algorithm of a bare digest, by its number of hexadecimal digits and what the list's own name says; nil for a
    /// number that no digest has.
    init?(digits: Int, listName: ArraySlice<UInt8>) {
        let name = String(decoding: asciiLowercase(listName), as: UTF8.self)
        let isOther = [
            "sha3", "blake2s", "blake3", "b3sum", "rmd160", "ripemd", "sm3", "gost", "streebog", "whirlpool",
        ]
        .contains { name.contains($0) }
        switch digits {
        case 32: self = .known(.md5)
        case 40: self = .known(.sha1)
        case 56: self = .known(.sha224)
        case 64: self = .known(.sha256)
        case 96: self = .known(.sha384)
        case 128:
            self = .known(
                name.contains("b2sum") || name.contains("blake2") || name.hasSuffix(".b2") ? .blake2b : .sha512)
        default: return nil
        }
        if isOther { self = .other }
    }

    /// What the names of algorithms that are not computed here begin with.
    private static let others = [
        "adler32", "blake2", "blake3", "bsd", "cksum", "crc", "ed2k", "edon", "gost", "has-160", "haval", "ksha", "md4",
        "md2", "rmd", "ripemd", "sha3", "sha512-", "sha512/", "sha2-512/", "shake", "sm3", "skein", "snefru",
        "streebog",
        "tiger", "tth", "whirlpool", "xxh",
    ]
}
