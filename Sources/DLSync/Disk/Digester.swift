internal import CCrypto
package import SyncCore

/// OpenSSL cannot compute a digest: it lacks the algorithm (MD5 in FIPS mode) or the memory.
package struct DigestError: Error, Hashable, Sendable {
    /// The algorithm that was asked for.
    package var algorithm: DigestAlgorithm

    /// The failure that an entry reports.
    package var failure: Failure {
        Failure(
            .disk,
            "could not compute a \(algorithm.rawValue) digest: this system's OpenSSL refuses it; use a manifest with"
                + " another digest")
    }
}

/// Computes a digest of bytes that come piece by piece.
///
/// It owns an OpenSSL context (EVP_DigestInit(3)): it is moved, not copied, to another thread as well, and the context is
/// freed at its end.
package struct Digester: ~Copyable, @unchecked Sendable {
    /// What is computed.
    package let algorithm: DigestAlgorithm
    private let context: OpaquePointer
    private var failed = false

    /// Starts a digest.
    package init(_ algorithm: DigestAlgorithm) throws(DigestError) {
        guard let context = EVP_MD_CTX_new() else { throw DigestError(algorithm: algorithm) }
        let method =
            switch algorithm {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha224: EVP_sha224()
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .blake2b: EVP_blake2b512()
            case .sha512: EVP_sha512()
            }
        guard EVP_DigestInit_ex(context, method, nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw DigestError(algorithm: algorithm)
        }
        self.algorithm = algorithm
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes the next bytes. A failure shows at the end, so that the path of every byte needs no check.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        if EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 { failed = true }
    }

    /// Ends the digest.
    package consuming func finish() throws(DigestError) -> Digest {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard !failed, EVP_DigestFinal_ex(context, &bytes, &count) == 1,
            let digest = Digest(algorithm, bytes: Array(bytes.prefix(Int(count))))
        else { throw DigestError(algorithm: algorithm) }
        return digest
    }
}
