import Compression
import SyncCore

extension FuzzTarget {
    /// What unpacks documents.
    static let unpacker = FuzzTarget("unpacker") { bytes in
        let whole = unpack([bytes[...]])
        let cut = unpack(randomPieces(of: bytes))
        // Of several faults, and where it is refused, it is the pieces' affair which is seen first and what came before.
        if (whole.error == nil) != (cut.error == nil) {
            return "in pieces it ends otherwise: \(whole.error ?? "well") and \(cut.error ?? "well")"
        }
        if whole.error == nil, whole.bytes != cut.bytes { return "in pieces it gives other bytes" }
        return nil
    }
}

private func unpack(_ pieces: [ArraySlice<UInt8>]) -> (bytes: [UInt8], error: String?) {
    var limits = Unpacker.Limits()
    limits.bytes = 1 << 20
    limits.freeBytes = 1 << 16
    let unpacker = Unpacker(sourceName: "fuzz", limits: limits)
    var bytes: [UInt8] = []
    do throws(ManifestError) {
        for piece in pieces {
            try unpacker.read(piece) { (unpacked) throws(ManifestError) in bytes += unpacked }
        }
        try unpacker.finish { (unpacked) throws(ManifestError) in bytes += unpacked }
    } catch {
        return (bytes, error.message)
    }
    return (bytes, nil)
}
