import CCompression

/// Unpacks Zstandard frames (RFC 8878), by libzstd if it is there.
final class ZstdStream: UnpackedStream {
    private let library: dlsync_zstd_library
    private let stream: UnsafeMutableRawPointer
    /// The first bytes of the present frame.
    private var header: [UInt8] = []
    /// How many bytes the present frame has brought.
    private var frameCount: UInt64 = 0

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
        // A frame that libzstd sees whole at its header goes another way through it, which refuses other frames. By single
        // bytes up to there all frames go the same way, however they come.
        let count = header.count < ZstdFrame.mostHeaderBytes ? min(1, input.count) : input.count
        var source = dlsync_zstd_input(bytes: input.baseAddress, size: count, position: 0)
        var target = dlsync_zstd_output(bytes: output.baseAddress, size: output.count, position: 0)
        let rest = library.unpack(stream, &target, &source)
        guard library.is_error(rest) == 0 else { throw .damaged }
        header += input.prefix(min(source.position, ZstdFrame.mostHeaderBytes - header.count))
        frameCount += UInt64(target.position)
        if rest == 0 {
            // libzstd does not look at the length everywhere, as behind an empty last block that comes in pieces.
            if let length = ZstdFrame.contentLength(header), length != frameCount { throw .damaged }
            header = []
            frameCount = 0
        }
        return (source.position, target.position, rest == 0)
    }
}

/// What the header of a frame tells (RFC 8878 §3.1.1.1).
enum ZstdFrame {
    static let mostHeaderBytes = 18
    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    /// The length of what is packed in a frame; nil where its header does not tell, or is none.
    static func contentLength(_ header: [UInt8]) -> UInt64? {
        guard header.count > magic.count, header.starts(with: magic) else { return nil }
        let descriptor = header[magic.count]
        let isSingleSegment = descriptor & 0x20 != 0
        let width = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let start = magic.count + 1 + (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][Int(descriptor & 3)]
        guard width > 0, header.count >= start + width else { return nil }
        let value = header[start..<(start + width)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // Two bytes count from 256 on, as one byte is enough below.
        return width == 2 ? value + 256 : value
    }
}
