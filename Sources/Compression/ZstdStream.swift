import CCompression

/// Unpacks Zstandard frames (RFC 8878), by libzstd if it is there.
final class ZstdStream: UnpackedStream {
    private let library: dlsync_zstd_library
    private let stream: UnsafeMutableRawPointer

    init() throws(UnpackError) {
        var library = dlsync_zstd_library()
        guard dlsync_zstd_find(&library) != 0 else { throw .noLibrary("libzstd.so.1") }
        guard let stream = library.create() else { throw .noMemory }
        self.library = library
        self.stream = stream
    }

    deinit { _ = library.release(stream) }

    func unpack(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(UnpackError) -> (used: Int, made: Int, isAtEnd: Bool) {
        var source = dlsync_zstd_input(bytes: input.baseAddress, size: input.count, position: 0)
        var target = dlsync_zstd_output(bytes: output.baseAddress, size: output.count, position: 0)
        let rest = library.unpack(stream, &target, &source)
        guard library.is_error(rest) == 0 else { throw .damaged }
        return (source.position, target.position, rest == 0)
    }
}
