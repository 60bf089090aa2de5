/// One compressed stream that is unpacked piece by piece.
protocol UnpackedStream: AnyObject {
    /// Unpacks as much of `input` as fits into `output`.
    ///
    /// - Returns: How many bytes were used and made, and whether this was the end of a member, behind which another may
    ///   begin.
    /// - Throws: ``UnpackError`` where the bytes are not what they should be.
    func unpack(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(UnpackError) -> (used: Int, made: Int, isAtEnd: Bool)
}

/// Why a stream cannot be unpacked.
enum UnpackError: Error {
    /// The bytes are damaged, or no stream of this kind.
    case damaged
    case noMemory
    /// The library that could is not on this system.
    case noLibrary(String)
}
