import CCompression

/// Unpacks gzip members (RFC 1952), checksum included, by zlib's inflate.
final class GzipStream: UnpackedStream {
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws(UnpackError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard dlsync_inflate_init_gzip(stream) == Z_OK else {
            stream.deallocate()
            throw .noMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func unpack(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(UnpackError) -> (used: Int, made: Int, isAtEnd: Bool) {
        let inputCount = min(input.count, Int(CInt.max))
        // zlib only reads from here, whatever the type says.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: Bytef.self).baseAddress)
        stream.pointee.avail_in = uInt(inputCount)
        stream.pointee.next_out = output.bindMemory(to: Bytef.self).baseAddress
        stream.pointee.avail_out = uInt(output.count)
        let code = inflate(stream, Z_NO_FLUSH)
        let used = inputCount - Int(stream.pointee.avail_in)
        let made = output.count - Int(stream.pointee.avail_out)
        switch code {
        case Z_OK, Z_BUF_ERROR: return (used, made, false)
        case Z_STREAM_END:
            guard inflateReset(stream) == Z_OK else { throw .damaged }
            return (used, made, true)
        case Z_MEM_ERROR: throw .noMemory
        default: throw .damaged
        }
    }
}
