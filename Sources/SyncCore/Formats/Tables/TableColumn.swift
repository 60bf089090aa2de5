/// What a column of a table holds, as its name says.
struct TableColumn: Hashable {
    enum Kind: Hashable {
        case address
        /// An address without its scheme, as the archives of sequences have them in columns called `…_ftp`.
        case bareAddress
        /// A path below the destination.
        case path
        /// A name that may be a file's, or a title.
        case name
        case size
        case digest(DigestAlgorithm)
        /// A digest of an algorithm that the value or another column tells.
        case anyDigest
        case algorithm
        case modified
    }

    /// What the column belongs to: `fastq` for `fastq_ftp`, `fastq_md5` and `fastq_bytes`; empty for a plain `url`.
    var group: String
    var kind: Kind

    /// Reads a column's name; nil for one that means nothing here. Case does not matter, and blanks, `-` and `.` are as
    /// good as `_`.
    init?(name: ArraySlice<UInt8>) {
        // Several names in one are those of a table with another separator.
        guard !name.contains(where: { ",;:\t".utf8.contains($0) }) else { return nil }
        let words = Self.words(name)
        // More words in front are a sentence's.
        for start in words.indices.prefix(4) {
            if let kind = Self.kinds[words[start...].joined(separator: "_")] {
                group = words[..<start].joined(separator: "_")
                self.kind = kind
                return
            }
        }
        return nil
    }

    /// A column's name in lower case, cut at what is neither letter nor digit.
    static func words(_ name: ArraySlice<UInt8>) -> [String] {
        asciiLowercase(name.prefix(200)).split { !isLetter($0) && !isDigit($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The names that are known. Behind a group and `_` they mean the same.
    private static let kinds: [String: Kind] = {
        var kinds: [String: Kind] = [:]
        func add(_ kind: Kind, _ names: String) {
            for name in names.split(separator: " ") { kinds[String(name)] = kind }
        }
        add(.address, "url uri href link urls http https downloadurl fileurl downloadlink download_path")
        add(.bareAddress, "ftp")
        add(.path, "path filepath file_path relative_path relpath local_path filename file_name out output destination")
        add(.name, "name file key object object_name")
        add(
            .size,
            "size bytes length filesize file_size size_bytes size_in_bytes sizeinbytes content_length contentlength")
        for (algorithm, word) in [
            (DigestAlgorithm.md5, "md5"), (.sha1, "sha1"), (.sha224, "sha224"), (.sha256, "sha256"),
            (.sha384, "sha384"),
            (.sha512, "sha512"), (.blake2b, "blake2b"),
        ] {
            add(
                .digest(algorithm),
                "\(word) \(word)sum \(word)_sum \(word)_hash \(word)_checksum \(word)_digest \(word)_base64")
        }
        add(.digest(.md5), "md5hash content_md5")
        add(.digest(.sha1), "sha_1")
        // What Git LFS, and so Hugging Face, calls the SHA-256 of a file's content. A plain "oid" is Git's own.
        add(.digest(.sha256), "sha_256 lfs_oid")
        add(.digest(.sha512), "sha_512")
        add(.anyDigest, "checksum hash digest")
        add(.algorithm, "checksum_type checksum_algorithm hash_type hash_algorithm digest_algorithm algorithm")
        add(
            .modified,
            "modified last_modified lastmodified mtime modified_at updated_at date_modified modification_time")
        return kinds
    }()
}
