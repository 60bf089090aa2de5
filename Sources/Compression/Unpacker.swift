package import SyncCore

/// Stands between a document's bytes and its reader: unpacks what is compressed, which its first bytes tell, and passes
/// all else through.
///
/// Only manifests and listings go through it, never files that are fetched.
package final class Unpacker {
    /// What an unpacked document may have at most.
    package struct Limits: Hashable, Sendable {
        /// Bytes in all.
        package var bytes = 1 << 30
        /// How many times as large as it was, once it is larger than ``freeBytes``. The most repetitive listings come to
        /// a tenth of that.
        package var ratio = 400
        /// Bytes below which the ratio does not count.
        package var freeBytes = 16 << 20

        package init() {}
    }

    private enum State {
        case undecided
        case plain
        case packed(any UnpackedStream, Kind)
    }

    private enum Kind: String {
        case gzip
        case zstd = "Zstandard"

        /// The first bytes of such a stream, as many as tell it from text.
        var magic: [UInt8] {
            switch self {
            case .gzip: [0x1F, 0x8B, 0x08]
            case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
            }
        }
    }

    private let sourceName: String
    private let limits: Limits
    private var state = State.undecided
    private var held: [UInt8] = []
    private var packedCount = 0
    private var unpackedCount = 0
    /// Whether the last member is whole, and nothing of another has come.
    private var isAtEnd = false
    /// Whether zeros stand behind the last member, as tapes and block devices leave them; nothing may follow then.
    private var isPadding = false
    private static let pieceBytes = 64 << 10

    /// An unpacker of one document.
    package init(sourceName: String, limits: Limits = Limits()) {
        self.sourceName = sourceName
        self.limits = limits
    }

    /// Takes the next bytes and hands over the document's own that they bring.
    ///
    /// - Throws: ``ManifestError`` where they cannot be unpacked or break a limit, and what `body` throws.
    package func read(
        _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) throws(ManifestError) -> Void
    ) throws(ManifestError) {
        switch state {
        case .plain: try body(bytes)
        case .packed(let stream, let kind): try unpack(bytes, stream, kind, body)
        case .undecided:
            held += bytes
            let kinds = [Kind.gzip, .zstd]
            let mayBe = kinds.contains { held.count < $0.magic.count && $0.magic.starts(with: held) }
            guard !mayBe else { return }
            try decide(kinds.first { held.starts(with: $0.magic) }, body)
        }
    }

    /// Ends the document.
    ///
    /// - Throws: ``ManifestError`` where a compressed one was cut short.
    package func finish(_ body: (ArraySlice<UInt8>) throws(ManifestError) -> Void) throws(ManifestError) {
        switch state {
        case .undecided: try decide(nil, body)
        case .plain: break
        case .packed(_, let kind):
            guard isAtEnd else {
                throw ManifestError(
                    "\(sourceName) was cut short: the end of its \(kind.rawValue) data is missing; try again")
            }
        }
    }

    private func decide(
        _ kind: Kind?, _ body: (ArraySlice<UInt8>) throws(ManifestError) -> Void
    ) throws(ManifestError) {
        let start = held
        held = []
        guard let kind else {
            state = .plain
            if !start.isEmpty { try body(start[...]) }
            return
        }
        let stream: any UnpackedStream
        do {
            stream = try kind == .gzip ? GzipStream() : ZstdStream()
        } catch {
            throw failure(error, kind)
        }
        state = .packed(stream, kind)
        try unpack(start[...], stream, kind, body)
    }

    private func unpack(
        _ bytes: ArraySlice<UInt8>, _ stream: any UnpackedStream, _ kind: Kind,
        _ body: (ArraySlice<UInt8>) throws(ManifestError) -> Void
    ) throws(ManifestError) {
        var rest = bytes
        var mayHoldMore = false
        while !rest.isEmpty || mayHoldMore {
            if isAtEnd, rest.first == 0 { isPadding = true }
            if isPadding {
                guard rest.allSatisfy({ $0 == 0 }) else { throw failure(.damaged, kind) }
                return
            }
            // Pieces end at the same places of the document however its bytes come, so that the limits, which are looked at
            // there, refuse the same documents.
            let room = Self.pieceBytes - unpackedCount % Self.pieceBytes
            let (made, used, isEnd) = try step(rest, room: room, stream, kind)
            rest = rest.dropFirst(used)
            packedCount += used
            // The stream may hold back what did not fit.
            mayHoldMore = made.count == room && !isEnd
            guard used > 0 || !made.isEmpty || rest.isEmpty else { throw failure(.damaged, kind) }
            isAtEnd = isEnd
            unpackedCount += made.count
            if made.count == room { try checkLimits(kind) }
            if !made.isEmpty { try body(made[...]) }
        }
    }

    private func step(
        _ input: ArraySlice<UInt8>, room: Int, _ stream: any UnpackedStream, _ kind: Kind
    ) throws(ManifestError) -> (made: [UInt8], used: Int, isAtEnd: Bool) {
        var used = 0
        var isEnd = false
        var fault: UnpackError?
        let made = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let output = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<room])
            input.withUnsafeBytes { input in
                do throws(UnpackError) {
                    (used, count, isEnd) = try stream.unpack(input, into: output)
                } catch {
                    fault = error
                }
            }
        }
        if let fault { throw failure(fault, kind) }
        return (made, used, isEnd)
    }

    private func checkLimits(_ kind: Kind) throws(ManifestError) {
        guard unpackedCount <= limits.bytes else {
            throw ManifestError("\(sourceName) is \(kind.rawValue) data of more than \(limits.bytes) bytes unpacked")
        }
        let (most, overflows) = packedCount.multipliedReportingOverflow(by: limits.ratio)
        guard overflows || unpackedCount <= max(most, limits.freeBytes) else {
            throw ManifestError(
                "\(sourceName) is \(kind.rawValue) data that grows more than \(limits.ratio) times when it is unpacked; no "
                    + "manifest does, so it is refused")
        }
    }

    private func failure(_ error: UnpackError, _ kind: Kind) -> ManifestError {
        switch error {
        case .damaged: ManifestError("\(sourceName) is damaged \(kind.rawValue) data; fetch it again")
        case .noMemory: ManifestError("there is no memory to unpack \(sourceName)")
        case .noLibrary(let name):
            ManifestError(
                "\(sourceName) is \(kind.rawValue) data, and this system has no \(name) to unpack it; install it, or unpack the "
                    + "document")
        }
    }
}
